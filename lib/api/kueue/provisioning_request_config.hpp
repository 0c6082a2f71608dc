// ProvisioningRequestConfig of kueue.x-k8s.io.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct ProvisioningRequestRetryStrategy {
    std::int32_t backoff_limit_count = 3;
    std::int32_t backoff_base_seconds = 60;
    std::int32_t backoff_max_seconds = 1800;

    static const TypeInfo& type();
    friend bool
    operator==(const ProvisioningRequestRetryStrategy&, const ProvisioningRequestRetryStrategy&) =
        default;
};

struct NodeSelectorUpdate {
    std::string key;
    std::string value_from_provisioning_class_detail;

    static const TypeInfo& type();
    friend bool operator==(const NodeSelectorUpdate&, const NodeSelectorUpdate&) = default;
};

struct ProvisioningRequestPodSetUpdates {
    std::vector<NodeSelectorUpdate> node_selector;

    static const TypeInfo& type();
    friend bool
    operator==(const ProvisioningRequestPodSetUpdates&, const ProvisioningRequestPodSetUpdates&) =
        default;
};

struct ProvisioningRequestConfigSpec {
    std::string provisioning_class_name;
    StringMap parameters;
    std::vector<std::string> managed_resources;
    ProvisioningRequestRetryStrategy retry_strategy;
    std::optional<ProvisioningRequestPodSetUpdates> pod_set_updates;
    std::string pod_set_merge_policy;

    static const TypeInfo& type();
    friend bool
    operator==(const ProvisioningRequestConfigSpec&, const ProvisioningRequestConfigSpec&) =
        default;
};

/// Configures how the provisioning check requests nodes from the cluster autoscaler.
struct ProvisioningRequestConfig {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "ProvisioningRequestConfig";
    static constexpr std::string_view kPlural = "provisioningrequestconfigs";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    ProvisioningRequestConfigSpec spec;

    static const TypeInfo& type();
    friend bool operator==(const ProvisioningRequestConfig&, const ProvisioningRequestConfig&) =
        default;
};

}  // namespace sluice::api
