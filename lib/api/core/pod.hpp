// Pod and PodTemplateSpec of core/v1, with the fields that Sluice reads.
#pragma once

#include "api/core/taint.hpp"
#include "api/meta/meta.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct ResourceClaimRef {
    std::string name;
    std::string request;

    static const TypeInfo& type();
    friend bool operator==(const ResourceClaimRef&, const ResourceClaimRef&) = default;
};

/// core/v1 ResourceRequirements.
struct ResourceRequirements {
    ResourceList limits;
    ResourceList requests;
    std::vector<ResourceClaimRef> claims;

    static const TypeInfo& type();
    friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

struct ContainerPort {
    std::string name;
    std::int32_t container_port = 0;
    std::int32_t host_port = 0;
    std::string host_ip;
    std::string protocol;

    static const TypeInfo& type();
    friend bool operator==(const ContainerPort&, const ContainerPort&) = default;
};

/// The fields of a container that affect placement and resources.
struct Container {
    std::string name;
    std::string image;
    ResourceRequirements resources;
    std::string restart_policy;  ///< "Always" on an init container makes a sidecar
    std::vector<ContainerPort> ports;

    static const TypeInfo& type();
    friend bool operator==(const Container&, const Container&) = default;
};

struct NodeSelectorRequirement {
    std::string key;
    std::string operator_;
    std::vector<std::string> values;

    static const TypeInfo& type();
    friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) =
        default;
};

struct NodeSelectorTerm {
    std::vector<NodeSelectorRequirement> match_expressions;
    std::vector<NodeSelectorRequirement> match_fields;

    static const TypeInfo& type();
    friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

struct NodeSelector {
    std::vector<NodeSelectorTerm> node_selector_terms;

    static const TypeInfo& type();
    friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

struct PreferredSchedulingTerm {
    std::int32_t weight = 0;
    NodeSelectorTerm preference;

    static const TypeInfo& type();
    friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) =
        default;
};

struct NodeAffinity {
    std::optional<NodeSelector> required_during_scheduling_ignored_during_execution;
    std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution;

    static const TypeInfo& type();
    friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

struct Affinity {
    std::optional<NodeAffinity> node_affinity;
    RawJson pod_affinity;
    RawJson pod_anti_affinity;

    static const TypeInfo& type();
    friend bool operator==(const Affinity&, const Affinity&) = default;
};

struct PodSchedulingGate {
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const PodSchedulingGate&, const PodSchedulingGate&) = default;
};

struct PodResourceClaim {
    std::string name;
    std::string resource_claim_name;
    std::string resource_claim_template_name;

    static const TypeInfo& type();
    friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

struct TopologySpreadConstraint {
    std::int32_t max_skew = 0;
    std::string topology_key;
    std::string when_unsatisfiable;
    std::optional<LabelSelector> label_selector;
    std::optional<std::int32_t> min_domains;
    std::string node_affinity_policy;
    std::string node_taints_policy;
    std::vector<std::string> match_label_keys;

    static const TypeInfo& type();
    friend bool operator==(const TopologySpreadConstraint&, const TopologySpreadConstraint&) =
        default;
};

/// The fields of a pod's spec that Sluice reads.
struct PodSpec {
    std::vector<Container> init_containers;
    std::vector<Container> containers;
    std::optional<ResourceRequirements> resources;  ///< pod-level
    StringMap node_selector;
    std::optional<Affinity> affinity;
    std::vector<Toleration> tolerations;
    std::optional<ResourceList> overhead;
    std::string runtime_class_name;
    std::string priority_class_name;
    std::optional<std::int32_t> priority;
    std::string node_name;
    std::string scheduler_name;
    std::string restart_policy;
    std::vector<PodSchedulingGate> scheduling_gates;
    std::vector<PodResourceClaim> resource_claims;
    std::vector<TopologySpreadConstraint> topology_spread_constraints;
    std::optional<std::int64_t> termination_grace_period_seconds;

    static const TypeInfo& type();
    friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// A pod template. `raw` has its complete JSON; `metadata` and `spec` have the fields that Sluice
/// reads.
///
/// Printing writes `raw` if it is set. To change a template, change its JSON and decode the result.
struct PodTemplateSpec {
    ObjectMeta metadata;
    PodSpec spec;
    RawJson raw;

    static const TypeInfo& type();
    /// Compares the JSON if both templates have it, and the fields read otherwise.
    friend bool operator==(const PodTemplateSpec& a, const PodTemplateSpec& b);
};

/// One condition of a Pod, Node or Job.
struct ObjectCondition {
    std::string type_;
    std::string status;
    std::optional<Time> last_probe_time;
    std::optional<Time> last_transition_time;
    std::string reason;
    std::string message;

    static const TypeInfo& type();
    friend bool operator==(const ObjectCondition&, const ObjectCondition&) = default;
};

struct ContainerStateTerminated {
    std::int32_t exit_code = 0;
    std::string reason;
    std::string message;

    static const TypeInfo& type();
    friend bool operator==(const ContainerStateTerminated&, const ContainerStateTerminated&) =
        default;
};

struct ContainerState {
    std::optional<ContainerStateTerminated> terminated;

    static const TypeInfo& type();
    friend bool operator==(const ContainerState&, const ContainerState&) = default;
};

struct ContainerStatus {
    std::string name;
    ContainerState state;

    static const TypeInfo& type();
    friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

struct PodStatus {
    std::string phase;
    std::string reason;
    std::string message;
    std::vector<ObjectCondition> conditions;
    std::vector<ContainerStatus> container_statuses;
    std::optional<Time> start_time;

    static const TypeInfo& type();
    friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// core/v1 Pod.
struct Pod {
    static constexpr std::string_view kGroup = "";
    static constexpr std::string_view kVersion = "v1";
    static constexpr std::string_view kKind = "Pod";
    static constexpr std::string_view kPlural = "pods";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    PodSpec spec;
    PodStatus status;
    /// The whole spec as JSON; empty unless the code that decodes the pod sets it.
    RawJson raw_spec;

    static const TypeInfo& type();
    friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace sluice::api
