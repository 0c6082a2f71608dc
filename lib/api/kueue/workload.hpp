// Workload of kueue.x-k8s.io.
#pragma once

#include "api/core/pod.hpp"
#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"
#include "api/meta/shared.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::api {

struct SliceTopologyConstraint {
    std::string topology;
    std::int32_t size = 0;

    static const TypeInfo& type();
    friend bool operator==(const SliceTopologyConstraint&, const SliceTopologyConstraint&) =
        default;
};

/// Placement of the pods of a pod set relative to each other.
struct PodSetTopologyRequest {
    std::optional<std::string> required;
    std::optional<std::string> preferred;
    std::optional<bool> unconstrained;
    std::optional<std::string> pod_index_label;
    std::optional<std::string> sub_group_index_label;
    std::optional<std::int32_t> sub_group_count;
    std::optional<std::string> pod_set_group_name;
    std::optional<std::string> pod_set_slice_required_topology;
    std::optional<std::int32_t> pod_set_slice_size;
    std::vector<SliceTopologyConstraint> podset_slice_required_topology_constraints;

    static const TypeInfo& type();
    friend bool operator==(const PodSetTopologyRequest&, const PodSetTopologyRequest&) = default;
};

/// A number of pods with the same template.
struct PodSet {
    std::string name = "main";
    Shared<PodTemplateSpec> template_;
    std::int32_t count = 1;
    std::optional<std::int32_t> min_count;
    std::optional<PodSetTopologyRequest> topology_request;

    static const TypeInfo& type();
    friend bool operator==(const PodSet&, const PodSet&) = default;
};

struct PriorityClassRef {
    std::string group;
    std::string kind;
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const PriorityClassRef&, const PriorityClassRef&) = default;
};

struct PreemptionGate {
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const PreemptionGate&, const PreemptionGate&) = default;
};

struct WorkloadSpec {
    std::vector<PodSet> pod_sets;
    std::string queue_name;
    std::optional<PriorityClassRef> priority_class_ref;
    std::optional<std::int32_t> priority;
    std::optional<bool> active;  ///< absent is true
    std::optional<std::int32_t> maximum_execution_time_seconds;
    std::vector<PreemptionGate> preemption_gates;

    static const TypeInfo& type();
    friend bool operator==(const WorkloadSpec&, const WorkloadSpec&) = default;
};

/// The number of pods in each domain of a slice: one number for all domains, or one for each.
struct TopologyPodCounts {
    std::optional<std::int32_t> universal;
    std::vector<std::int32_t> individual;

    static const TypeInfo& type();
    friend bool operator==(const TopologyPodCounts&, const TopologyPodCounts&) = default;
};

struct TopologyLevelIndividualValues {
    std::string prefix;
    std::string suffix;
    std::vector<std::string> roots;

    static const TypeInfo& type();
    friend bool
    operator==(const TopologyLevelIndividualValues&, const TopologyLevelIndividualValues&) =
        default;
};

/// The values of one level in the domains of a slice: one value for all domains, or one for each.
struct TopologyLevelValues {
    std::optional<std::string> universal;
    std::optional<TopologyLevelIndividualValues> individual;

    static const TypeInfo& type();
    friend bool operator==(const TopologyLevelValues&, const TopologyLevelValues&) = default;
};

struct TopologyAssignmentSlice {
    std::int32_t domain_count = 0;
    std::vector<TopologyLevelValues> values_per_level;
    TopologyPodCounts pod_counts;

    static const TypeInfo& type();
    friend bool operator==(const TopologyAssignmentSlice&, const TopologyAssignmentSlice&) =
        default;
};

/// The topology domains that the pods of a pod set are placed in, compressed.
struct TopologyAssignment {
    std::vector<std::string> levels;
    std::vector<TopologyAssignmentSlice> slices;

    static const TypeInfo& type();
    friend bool operator==(const TopologyAssignment&, const TopologyAssignment&) = default;
};

/// The flavors and the usage of one pod set. `resource_usage` is the total for all its pods.
struct PodSetAssignment {
    std::string name = "main";
    StringMap flavors;
    ResourceList resource_usage;
    std::optional<std::int32_t> count;
    std::optional<TopologyAssignment> topology_assignment;
    std::string delayed_topology_request;

    static const TypeInfo& type();
    friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;
};

struct Admission {
    std::string cluster_queue;
    std::vector<PodSetAssignment> pod_set_assignments;

    static const TypeInfo& type();
    friend bool operator==(const Admission&, const Admission&) = default;
};

struct RequeueState {
    std::optional<std::int32_t> count;
    std::optional<Time> requeue_at;

    static const TypeInfo& type();
    friend bool operator==(const RequeueState&, const RequeueState&) = default;
};

struct ReclaimablePod {
    std::string name;
    std::int32_t count = 0;

    static const TypeInfo& type();
    friend bool operator==(const ReclaimablePod&, const ReclaimablePod&) = default;
};

/// Changes to the pods of a pod set that an admission check requests.
struct PodSetUpdate {
    std::string name;
    StringMap labels;
    StringMap annotations;
    StringMap node_selector;
    std::vector<Toleration> tolerations;

    static const TypeInfo& type();
    friend bool operator==(const PodSetUpdate&, const PodSetUpdate&) = default;
};

struct AdmissionCheckState {
    std::string name;
    std::string state;
    std::optional<Time> last_transition_time;
    std::string message;
    std::optional<std::int32_t> requeue_after_seconds;
    std::optional<std::int32_t> retry_count;
    std::vector<PodSetUpdate> pod_set_updates;

    static const TypeInfo& type();
    friend bool operator==(const AdmissionCheckState&, const AdmissionCheckState&) = default;
};

struct PodSetRequest {
    std::string name;
    ResourceList resources;

    static const TypeInfo& type();
    friend bool operator==(const PodSetRequest&, const PodSetRequest&) = default;
};

struct WorkloadSchedulingStatsEviction {
    std::string reason;
    std::string underlying_cause;
    std::int32_t count = 0;

    static const TypeInfo& type();
    friend bool
    operator==(const WorkloadSchedulingStatsEviction&, const WorkloadSchedulingStatsEviction&) =
        default;
};

struct SchedulingStats {
    std::vector<WorkloadSchedulingStatsEviction> evictions;

    static const TypeInfo& type();
    friend bool operator==(const SchedulingStats&, const SchedulingStats&) = default;
};

struct UnhealthyNode {
    std::string name;

    static const TypeInfo& type();
    friend bool operator==(const UnhealthyNode&, const UnhealthyNode&) = default;
};

struct PreemptionGateState {
    std::string name;
    std::string position;
    std::optional<Time> last_transition_time;

    static const TypeInfo& type();
    friend bool operator==(const PreemptionGateState&, const PreemptionGateState&) = default;
};

struct WorkloadStatus {
    std::vector<Condition> conditions;
    std::optional<Admission> admission;
    std::optional<RequeueState> requeue_state;
    std::vector<ReclaimablePod> reclaimable_pods;
    std::vector<AdmissionCheckState> admission_checks;
    std::vector<PodSetRequest> resource_requests;
    std::optional<std::int32_t> accumulated_past_execution_time_seconds;
    std::optional<SchedulingStats> scheduling_stats;
    std::vector<std::string> nominated_cluster_names;
    std::string cluster_name;
    std::vector<UnhealthyNode> unhealthy_nodes;
    std::vector<PreemptionGateState> preemption_gates;

    static const TypeInfo& type();
    friend bool operator==(const WorkloadStatus&, const WorkloadStatus&) = default;
};

/// The resources that a job requests and is assigned: the unit of queueing and admission.
struct Workload {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "Workload";
    static constexpr std::string_view kPlural = "workloads";
    static constexpr bool kNamespaced = true;

    ObjectMeta metadata;
    WorkloadSpec spec;
    WorkloadStatus status;

    static const TypeInfo& type();
    friend bool operator==(const Workload&, const Workload&) = default;
};

}  // namespace sluice::api
