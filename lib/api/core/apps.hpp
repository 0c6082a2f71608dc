// Deployment, ReplicaSet and StatefulSet of apps/v1.
#pragma once

#include "api/core/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The kinds of apps/v1 that create pods. Sluice reads only the metadata of Deployments and
/// ReplicaSets.
namespace sluice::api {

/// apps/v1 Deployment.
struct Deployment {
    static constexpr std::string_view kGroup = "apps";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Deployment";
    static constexpr std::string_view kPlural = "deployments";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;

    static const TypeInfo& type();
    friend bool operator==(const Deployment&, const Deployment&) = default;
};

/// apps/v1 ReplicaSet.
struct ReplicaSet {
    static constexpr std::string_view kGroup = "apps";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "ReplicaSet";
    static constexpr std::string_view kPlural = "replicasets";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;

    static const TypeInfo& type();
    friend bool operator==(const ReplicaSet&, const ReplicaSet&) = default;
};

struct RollingUpdateStatefulSetStrategy {
    std::int32_t partition = 0;  ///< pods with a smaller ordinal are not updated

    static const TypeInfo& type();
    friend bool
    operator==(const RollingUpdateStatefulSetStrategy&, const RollingUpdateStatefulSetStrategy&) =
        default;
};

struct StatefulSetUpdateStrategy {
    std::string type_;  ///< RollingUpdate or OnDelete
    std::optional<RollingUpdateStatefulSetStrategy> rolling_update;

    static const TypeInfo& type();
    friend bool operator==(const StatefulSetUpdateStrategy&, const StatefulSetUpdateStrategy&) =
        default;
};

struct StatefulSetSpec {
    std::optional<std::int32_t> replicas;
    std::string pod_management_policy;  ///< OrderedReady (also if empty) or Parallel
    StatefulSetUpdateStrategy update_strategy;
    PodTemplateSpec template_;

    static const TypeInfo& type();
    friend bool operator==(const StatefulSetSpec&, const StatefulSetSpec&) = default;
};

struct StatefulSetStatus {
    std::int32_t replicas = 0;
    std::int32_t ready_replicas = 0;
    std::string current_revision;  ///< revision of pods that are not updated yet
    std::string update_revision;   ///< revision of updated pods

    static const TypeInfo& type();
    friend bool operator==(const StatefulSetStatus&, const StatefulSetStatus&) = default;
};

/// apps/v1 StatefulSet.
struct StatefulSet {
    static constexpr std::string_view kGroup = "apps";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "StatefulSet";
    static constexpr std::string_view kPlural = "statefulsets";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    StatefulSetSpec spec;
    StatefulSetStatus status;

    static const TypeInfo& type();
    friend bool operator==(const StatefulSet&, const StatefulSet&) = default;
};

}  // namespace sluice::api
