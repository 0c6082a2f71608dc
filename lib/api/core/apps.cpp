#include "api/core/apps.hpp"

namespace sluice::api {

namespace {

constexpr std::string_view kApps = "apps/v1";

}  // namespace

const TypeInfo& Deployment::type() {
    static const TypeInfo kInfo{
        .fields = {field<&Deployment::metadata>("metadata")},
        .kind = kKind,
        .api_version = kApps,
    };
    return kInfo;
}

const TypeInfo& ReplicaSet::type() {
    static const TypeInfo kInfo{
        .fields = {field<&ReplicaSet::metadata>("metadata")},
        .kind = kKind,
        .api_version = kApps,
    };
    return kInfo;
}

const TypeInfo& RollingUpdateStatefulSetStrategy::type() {
    static const TypeInfo kInfo{
        .fields = {field<&RollingUpdateStatefulSetStrategy::partition>("partition")},
    };
    return kInfo;
}

const TypeInfo& StatefulSetUpdateStrategy::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatefulSetUpdateStrategy::type_>("type"),
                field<&StatefulSetUpdateStrategy::rolling_update>("rollingUpdate"),
            },
    };
    return kInfo;
}

const TypeInfo& StatefulSetSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatefulSetSpec::replicas>("replicas"),
                field<&StatefulSetSpec::pod_management_policy>("podManagementPolicy"),
                field<&StatefulSetSpec::update_strategy>("updateStrategy"),
                field<&StatefulSetSpec::template_>("template", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& StatefulSetStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatefulSetStatus::replicas>("replicas"),
                field<&StatefulSetStatus::ready_replicas>("readyReplicas"),
                field<&StatefulSetStatus::current_revision>("currentRevision"),
                field<&StatefulSetStatus::update_revision>("updateRevision"),
            },
    };
    return kInfo;
}

const TypeInfo& StatefulSet::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&StatefulSet::metadata>("metadata"),
                field<&StatefulSet::spec>("spec"),
                field<&StatefulSet::status>("status"),
            },
        .kind = kKind,
        .api_version = kApps,
    };
    return kInfo;
}

}  // namespace sluice::api
