#include "api/kueue/provisioning_request_config.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& ProvisioningRequestRetryStrategy::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ProvisioningRequestRetryStrategy::backoff_limit_count>(
                    "backoffLimitCount", "D(3)", "=", "Number of retries."
                ),
                field<&ProvisioningRequestRetryStrategy::backoff_base_seconds>(
                    "backoffBaseSeconds",
                    "D(60)",
                    "=",
                    "Delay before the first retry; it doubles with each."
                ),
                field<&ProvisioningRequestRetryStrategy::backoff_max_seconds>(
                    "backoffMaxSeconds", "D(1800)", "=", "Longest delay."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& NodeSelectorUpdate::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeSelectorUpdate::key>(
                    "key", "1..317 KEY R", "=", "Node label that the pods select."
                ),
                field<&NodeSelectorUpdate::value_from_provisioning_class_detail>(
                    "valueFromProvisioningClassDetail",
                    "1..32768 R",
                    "=",
                    "Key in the request's provisioningClassDetails that holds the value."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ProvisioningRequestPodSetUpdates::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ProvisioningRequestPodSetUpdates::node_selector>(
                    "nodeSelector", "..8 map(key)", "..8", "Node selector entries to add."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ProvisioningRequestConfigSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ProvisioningRequestConfigSpec::provisioning_class_name>(
                    "provisioningClassName",
                    "1..253 SUB R",
                    "..253 SUB R",
                    "Mode of provisioning, as the autoscaler names it."
                ),
                field<&ProvisioningRequestConfigSpec::parameters>(
                    "parameters", "{..255} ..100", "=", "Parameters passed on to the autoscaler."
                ),
                field<&ProvisioningRequestConfigSpec::managed_resources>(
                    "managedResources",
                    "..100 set",
                    "=",
                    "Resources that are provisioned. Empty means all resources."
                ),
                field<&ProvisioningRequestConfigSpec::retry_strategy>(
                    "retryStrategy",
                    "D({\"backoffBaseSeconds\":60,\"backoffLimitCount\":3,\"backoffMaxSeconds\":"
                    "1800})",
                    "=",
                    "Retries after a failed request."
                ),
                field<&ProvisioningRequestConfigSpec::pod_set_updates>(
                    "podSetUpdates", "", "=", "Changes to the pods once the request is provisioned."
                ),
                field<&ProvisioningRequestConfigSpec::pod_set_merge_policy>(
                    "podSetMergePolicy",
                    "E(IdenticalPodTemplates, IdenticalWorkloadSchedulingRequirements)",
                    "=",
                    "Which pod sets share one entry of the request."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ProvisioningRequestConfig::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ProvisioningRequestConfig::metadata>("metadata", "", "=", ""),
                field<&ProvisioningRequestConfig::spec>(
                    "spec", "P", "=", "How nodes are requested."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
