#include "api/kueue/workload.hpp"

#include "api/kueue/kueue_names.hpp"

namespace sluice::api {

const TypeInfo& SliceTopologyConstraint::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&SliceTopologyConstraint::topology>(
                    "topology", "1..63 R", "-", "Topology level of the slices."
                ),
                field<&SliceTopologyConstraint::size>("size", "1.. R", "-", "Pods in a slice."),
            },
    };
    return kInfo;
}

const TypeInfo& PodSetTopologyRequest::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSetTopologyRequest::required>(
                    "required", "..63", "", "Topology level at which one domain must hold all pods."
                ),
                field<&PodSetTopologyRequest::preferred>(
                    "preferred",
                    "..63",
                    "",
                    "Topology level at which one domain should hold all pods."
                ),
                field<&PodSetTopologyRequest::unconstrained>(
                    "unconstrained",
                    "",
                    "=",
                    "The pods may be placed in any domains of the topology."
                ),
                field<&PodSetTopologyRequest::pod_index_label>(
                    "podIndexLabel", "..317", "", "Label that holds the index of the pod."
                ),
                field<&PodSetTopologyRequest::sub_group_index_label>(
                    "subGroupIndexLabel", "..317", "", "Label that holds the index of the replica."
                ),
                field<&PodSetTopologyRequest::sub_group_count>(
                    "subGroupCount", "0..", "", "Number of replicas."
                ),
                field<&PodSetTopologyRequest::pod_set_group_name>(
                    "podSetGroupName", "..256", "", "Pod sets of one group share flavor and domain."
                ),
                field<&PodSetTopologyRequest::pod_set_slice_required_topology>(
                    "podSetSliceRequiredTopology",
                    "..63",
                    "",
                    "Topology level at which one domain must hold each slice."
                ),
                field<&PodSetTopologyRequest::pod_set_slice_size>(
                    "podSetSliceSize", "1..", "=", "Pods in a slice."
                ),
                field<&PodSetTopologyRequest::podset_slice_required_topology_constraints>(
                    "podsetSliceRequiredTopologyConstraints",
                    "..3 atomic",
                    "-",
                    "Nested slices, the widest first."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& PodSet::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSet::name>("name", "..63 LBL D(\"main\") P", "=", "Name of the pod set."),
                field<&PodSet::template_>("template", "R", "=", "Template of the pods."),
                field<&PodSet::count>("count", "0.. D(1) P", "0.. D(1) R", "Number of pods."),
                field<&PodSet::min_count>(
                    "minCount", "1..", "=", "Fewest pods that the job can run with."
                ),
                field<&PodSet::topology_request>(
                    "topologyRequest", "", "=", "How near to each other the pods must be."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& PriorityClassRef::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PriorityClassRef::group>(
                    "group",
                    "E(kueue.x-k8s.io, scheduling.k8s.io) R",
                    "-",
                    "API group of the class."
                ),
                field<&PriorityClassRef::kind>(
                    "kind", "E(WorkloadPriorityClass, PriorityClass) R", "-", "Kind of the class."
                ),
                field<&PriorityClassRef::name>("name", "1..253 SUB R", "-", "Name of the class."),
            },
    };
    return kInfo;
}

const TypeInfo& PreemptionGate::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PreemptionGate::name>("name", "1..63 R", "-", "Name of the gate."),
            },
    };
    return kInfo;
}

const TypeInfo& WorkloadSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WorkloadSpec::pod_sets>(
                    "podSets",
                    "1..18 map(name) [C28]",
                    "1..18 map(name) [C28] R",
                    "Pods of the job."
                ),
                field<&WorkloadSpec::queue_name>(
                    "queueName",
                    "..253 SUB",
                    "=",
                    "LocalQueue that the workload waits in; fixed while quota is held."
                ),
                field<&WorkloadSpec::priority_class_ref>(
                    "priorityClassRef", "C29 C30", "-", "Class that the priority came from."
                ),
                v1beta1_field(
                    "priorityClassName",
                    "str ..253 SUB",
                    "Name of the class that the priority came from."
                ),
                v1beta1_field(
                    "priorityClassSource",
                    "str E(kueue.x-k8s.io/workloadpriorityclass, scheduling.k8s.io/priorityclass, "
                    "\"\") D(\"\")",
                    "Kind of that class."
                ),
                field<&WorkloadSpec::priority>(
                    "priority",
                    "",
                    "=",
                    "Higher goes first and may preempt lower; absent counts as 0."
                ),
                field<&WorkloadSpec::active>(
                    "active",
                    "D(true)",
                    "=",
                    "false takes the workload out of the queue and evicts it."
                ),
                field<&WorkloadSpec::maximum_execution_time_seconds>(
                    "maximumExecutionTimeSeconds",
                    "1..",
                    "=",
                    "Time after which an admitted workload is deactivated."
                ),
                field<&WorkloadSpec::preemption_gates>(
                    "preemptionGates",
                    "..8 map(name)",
                    "-",
                    "Gates that must open before this workload preempts others."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologyPodCounts::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyPodCounts::universal>(
                    "universal", "1..", "-", "Pods in every domain."
                ),
                field<&TopologyPodCounts::individual>(
                    "individual", "[1..] 1..100000 atomic", "-", "Pods in each domain."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologyLevelIndividualValues::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyLevelIndividualValues::prefix>(
                    "prefix", "..63", "-", "Common beginning of the values."
                ),
                field<&TopologyLevelIndividualValues::suffix>(
                    "suffix", "..63", "-", "Common end of the values."
                ),
                field<&TopologyLevelIndividualValues::roots>(
                    "roots",
                    "[..63] 1..100000 atomic R",
                    "-",
                    "Middle parts of the values, one for each domain."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologyLevelValues::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyLevelValues::universal>(
                    "universal", "..63", "-", "Value in every domain."
                ),
                field<&TopologyLevelValues::individual>(
                    "individual", "", "-", "Value in each domain."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologyAssignmentSlice::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyAssignmentSlice::domain_count>(
                    "domainCount", "1.. R", "-", "Number of domains."
                ),
                field<&TopologyAssignmentSlice::values_per_level>(
                    "valuesPerLevel",
                    "1..16 atomic [C5] R",
                    "-",
                    "Values of the node labels, level by level."
                ),
                field<&TopologyAssignmentSlice::pod_counts>(
                    "podCounts", "R C4", "-", "Pods by domain."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& TopologyAssignment::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologyAssignment::levels>(
                    "levels",
                    "[..317] 1..16 atomic R",
                    "1..16 atomic R",
                    "Node labels of the levels."
                ),
                v1beta1_field(
                    "domains",
                    "[obj] R",
                    "Domains with their pods.",
                    {
                        v1beta1_field("count", "int32 1.. R"),
                        v1beta1_field("values", "[str] 1..16 atomic R"),
                    }
                ),
                field<&TopologyAssignment::slices>(
                    "slices", "..1000 atomic [C2 C3] R", "-", "Domains with their pods, compressed."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& PodSetAssignment::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSetAssignment::name>(
                    "name",
                    "..63 LBL D(\"main\") P",
                    "..63 LBL D(\"main\") R",
                    "Name of the pod set."
                ),
                field<&PodSetAssignment::flavors>(
                    "flavors", "{..253 SUB}", "=", "Flavor of each resource."
                ),
                field<&PodSetAssignment::resource_usage>(
                    "resourceUsage", "", "=", "Quota taken by all pods together."
                ),
                field<&PodSetAssignment::count>("count", "0..", "=", "Number of pods admitted."),
                field<&PodSetAssignment::topology_assignment>(
                    "topologyAssignment", "C1", "", "Topology domains that the pods are placed in."
                ),
                field<&PodSetAssignment::delayed_topology_request>(
                    "delayedTopologyRequest",
                    "..7 E(Pending, Ready)",
                    "",
                    "Pending while the topology assignment is delayed."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& Admission::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Admission::cluster_queue>(
                    "clusterQueue",
                    "..253 SUB P",
                    "..253 SUB R",
                    "ClusterQueue that the quota belongs to."
                ),
                field<&Admission::pod_set_assignments>(
                    "podSetAssignments",
                    "..18 map(name) P",
                    "..18 map(name) R",
                    "Flavors and usage of each pod set."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& RequeueState::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&RequeueState::count>(
                    "count", "0..", "=", "How often the workload was requeued."
                ),
                field<&RequeueState::requeue_at>(
                    "requeueAt", "", "=", "When it may be admitted again."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& ReclaimablePod::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ReclaimablePod::name>("name", "..63 LBL R", "=", "Name of the pod set."),
                field<&ReclaimablePod::count>(
                    "count", "0.. R", "=", "Pods that no longer need their quota."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& PodSetUpdate::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSetUpdate::name>("name", "..63 LBL R", "=", "Name of the pod set."),
                field<&PodSetUpdate::labels>("labels", "", "=", "Labels to add."),
                field<&PodSetUpdate::annotations>("annotations", "", "=", "Annotations to add."),
                field<&PodSetUpdate::node_selector>(
                    "nodeSelector", "", "=", "Node selector entries to add."
                ),
                field<&PodSetUpdate::tolerations>(
                    "tolerations", "..8 atomic C6-C10", "..8 C6-C10", "Tolerations to add."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& AdmissionCheckState::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&AdmissionCheckState::name>(
                    "name", "1..316 R", "..316 R", "Name of the AdmissionCheck."
                ),
                field<&AdmissionCheckState::state>(
                    "state",
                    "E(Pending, Ready, Retry, Rejected) R",
                    "=",
                    "Pending, Ready, Retry (evict and try again) or Rejected (deactivate)."
                ),
                field<&AdmissionCheckState::last_transition_time>(
                    "lastTransitionTime", "R", "=", "When the state last changed."
                ),
                field<&AdmissionCheckState::message>(
                    "message", "..32768 R", "=", "Human-readable reason."
                ),
                field<&AdmissionCheckState::requeue_after_seconds>(
                    "requeueAfterSeconds", "0..", "=", "Delay before the next attempt."
                ),
                field<&AdmissionCheckState::retry_count>(
                    "retryCount", "0..", "=", "Number of attempts so far."
                ),
                field<&AdmissionCheckState::pod_set_updates>(
                    "podSetUpdates",
                    "..18 atomic",
                    "=",
                    "Changes to the pods that the check asks for."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& PodSetRequest::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSetRequest::name>("name", "..63 LBL R", "=", "Name of the pod set."),
                field<&PodSetRequest::resources>(
                    "resources", "", "=", "Total requests of all pods of the pod set."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& WorkloadSchedulingStatsEviction::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WorkloadSchedulingStatsEviction::reason>(
                    "reason", "..316 R", "=", "Reason of the eviction."
                ),
                field<&WorkloadSchedulingStatsEviction::underlying_cause>(
                    "underlyingCause",
                    "..316 R",
                    "=",
                    "Underlying cause of the eviction. May be empty."
                ),
                field<&WorkloadSchedulingStatsEviction::count>(
                    "count", "0.. R", "=", "Number of evictions."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& SchedulingStats::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&SchedulingStats::evictions>(
                    "evictions",
                    "..256 map(reason,underlyingCause)",
                    "map(reason,underlyingCause)",
                    "Evictions by reason."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& UnhealthyNode::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&UnhealthyNode::name>("name", "..63 R", "R", "Name of the node."),
            },
    };
    return kInfo;
}

const TypeInfo& PreemptionGateState::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PreemptionGateState::name>("name", "1..63 R", "-", "Name of the gate."),
                field<&PreemptionGateState::position>(
                    "position",
                    "E(Closed, Open) R",
                    "-",
                    "Closed forbids preemption, Open allows it."
                ),
                field<&PreemptionGateState::last_transition_time>(
                    "lastTransitionTime", "R", "-", "When the position last changed."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& WorkloadStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&WorkloadStatus::conditions>(
                    "conditions",
                    "..16 map(type)",
                    "map(type)",
                    "QuotaReserved, Admitted, Evicted, Finished and others."
                ),
                field<&WorkloadStatus::admission>(
                    "admission", "", "=", "Quota that the workload holds."
                ),
                field<&WorkloadStatus::requeue_state>(
                    "requeueState", "", "=", "Back-off after an eviction."
                ),
                field<&WorkloadStatus::reclaimable_pods>(
                    "reclaimablePods", "..18 map(name)", "=", "Pods that need no quota any more."
                ),
                field<&WorkloadStatus::admission_checks>(
                    "admissionChecks", "..8 map(name)", "=", "States of the admission checks."
                ),
                field<&WorkloadStatus::resource_requests>(
                    "resourceRequests",
                    "..18 map(name)",
                    "=",
                    "Total requests of each pod set of a pending workload."
                ),
                field<&WorkloadStatus::accumulated_past_execution_time_seconds>(
                    "accumulatedPastExecutionTimeSeconds",
                    "",
                    "-",
                    "Time spent admitted before the last eviction."
                ),
                v1beta1_field(
                    "accumulatedPastExexcutionTimeSeconds",
                    "int32",
                    "Time spent admitted before the last eviction."
                ),
                field<&WorkloadStatus::scheduling_stats>(
                    "schedulingStats", "", "=", "Counters of what happened to the workload."
                ),
                field<&WorkloadStatus::nominated_cluster_names>(
                    "nominatedClusterNames",
                    "[..256] ..20 atomic",
                    "..20 atomic",
                    "Worker clusters that are tried."
                ),
                field<&WorkloadStatus::cluster_name>(
                    "clusterName", "..256", "", "Worker cluster that runs the workload."
                ),
                field<&WorkloadStatus::unhealthy_nodes>(
                    "unhealthyNodes", "..8 map(name)", "", "Failed nodes that the workload runs on."
                ),
                field<&WorkloadStatus::preemption_gates>(
                    "preemptionGates", "..8 map(name)", "-", "Positions of the preemption gates."
                ),
            },
    };
    return kInfo;
}

const TypeInfo& Workload::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Workload::metadata>("metadata", "", "=", ""),
                field<&Workload::spec>("spec", "C26 P", "C27", "Resources that the job requests."),
                field<&Workload::status>(
                    "status", "C31 C32", "=", "Quota and state of the workload."
                ),
            },
        .kind = kKind,
        .api_version = kKueueApiVersion,
    };
    return kInfo;
}

}  // namespace sluice::api
