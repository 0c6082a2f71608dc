// MultiKueueConfig and MultiKueueCluster of kueue.x-k8s.io.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct MultiKueueConfigSpec {
    std::vector<std::string> clusters;
    std::string quota_management;

    static const TypeInfo& type();
    friend bool operator==(const MultiKueueConfigSpec&, const MultiKueueConfigSpec&) = default;
};

/// The worker clusters that an admission check may send workloads to, in order.
struct MultiKueueConfig {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "MultiKueueConfig";
    static constexpr std::string_view kPlural = "multikueueconfigs";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    MultiKueueConfigSpec spec;

    static const TypeInfo& type();
    friend bool operator==(const MultiKueueConfig&, const MultiKueueConfig&) = default;
};

struct KubeConfigReference {
    std::string location;
    std::string location_type = "Secret";

    static const TypeInfo& type();
    friend bool operator==(const KubeConfigReference&, const KubeConfigReference&) = default;
};

struct ClusterProfileReference {
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const ClusterProfileReference&, const ClusterProfileReference&) =
        default;
};

/// The source of the credentials. Exactly one of the two is set.
struct ClusterSource {
    std::optional<KubeConfigReference> kube_config;
    std::optional<ClusterProfileReference> cluster_profile_ref;

    static const TypeInfo& type();
    friend bool operator==(const ClusterSource&, const ClusterSource&) = default;
};

struct MultiKueueClusterSpec {
    ClusterSource cluster_source;

    static const TypeInfo& type();
    friend bool operator==(const MultiKueueClusterSpec&, const MultiKueueClusterSpec&) = default;
};

struct MultiKueueClusterStatus {
    std::vector<Condition> conditions;

    static const TypeInfo& type();
    friend bool operator==(const MultiKueueClusterStatus&, const MultiKueueClusterStatus&) =
        default;
};

/// Describes how to reach one worker cluster.
struct MultiKueueCluster {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "MultiKueueCluster";
    static constexpr std::string_view kPlural = "multikueueclusters";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    MultiKueueClusterSpec spec;
    MultiKueueClusterStatus status;

    static const TypeInfo& type();
    friend bool operator==(const MultiKueueCluster&, const MultiKueueCluster&) = default;
};

}  // namespace sluice::api
