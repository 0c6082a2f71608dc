#include "apiserver/fields/managed_fields.hpp"

#include <algorithm>
#include <array>

namespace sluice::apiserver {
namespace {

struct Row {
    std::string_view group;
    std::string_view kind;
    std::string_view subresource;
    std::initializer_list<const char*> excluded;
};

/// The fields that the registries of the built-in kinds reset in each write.
const auto& kept_rows() {
    static const std::array<Row, 36> kRows{{
        {"", "Namespace", "", {"status"}},
        {"", "Namespace", "status", {"spec"}},
        {"", "Namespace", "finalize", {"status"}},
        {"", "Node", "", {"status"}},
        {"", "Node", "status", {"spec"}},
        {"", "Pod", "", {"status"}},
        {"", "Pod", "status", {"spec", "metadata.deletionTimestamp", "metadata.ownerReferences"}},
        {"", "Service", "", {"status"}},
        {"", "Service", "status", {"spec"}},
        {"", "PersistentVolume", "", {"status"}},
        {"", "PersistentVolume", "status", {"spec"}},
        {"", "PersistentVolumeClaim", "", {"status"}},
        {"", "PersistentVolumeClaim", "status", {"spec"}},
        {"", "ReplicationController", "", {"status"}},
        {"", "ReplicationController", "status", {"spec"}},
        {"", "ResourceQuota", "", {"status"}},
        {"", "ResourceQuota", "status", {"spec"}},
        {"apiextensions.k8s.io", "CustomResourceDefinition", "", {"status"}},
        {"apiextensions.k8s.io", "CustomResourceDefinition", "status", {"metadata", "spec"}},
        {"apiregistration.k8s.io", "APIService", "", {"status"}},
        {"apiregistration.k8s.io", "APIService", "status", {"spec"}},
        {"apps", "DaemonSet", "", {"status"}},
        {"apps", "DaemonSet", "status", {"spec"}},
        {"apps", "Deployment", "", {"status"}},
        {"apps", "Deployment", "status", {"spec", "metadata.labels"}},
        {"apps", "ReplicaSet", "", {"status"}},
        {"apps", "ReplicaSet", "status", {"spec"}},
        {"apps", "StatefulSet", "", {"status"}},
        {"apps", "StatefulSet", "status", {"spec"}},
        {"batch", "CronJob", "", {"status"}},
        {"batch", "CronJob", "status", {"spec"}},
        {"batch", "Job", "", {"status"}},
        {"batch", "Job", "status", {"spec"}},
        {"policy", "PodDisruptionBudget", "", {"status"}},
        {"policy", "PodDisruptionBudget", "status", {"spec"}},
        {"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "", {"status"}},
    }};
    return kRows;
}

}  // namespace

ResetFields reset_fields_of(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    bool is_custom_with_status
) {
    const auto found = std::find_if(kept_rows().begin(), kept_rows().end(), [&](const Row& row) {
        return row.group == group && row.kind == kind && row.subresource == subresource;
    });
    if (found != kept_rows().end()) {
        return {.excluded = {found->excluded.begin(), found->excluded.end()}, .only = {}};
    }
    if (!is_custom_with_status) {
        return {};
    }
    if (subresource == "status") {
        return {.excluded = {}, .only = {"status"}};
    }
    return {.excluded = {"status"}, .only = {}};
}

}  // namespace sluice::apiserver
