// The objects of the cluster as the engine takes them.
#pragma once

#include "engine/types/amount.hpp"
#include "engine/types/time.hpp"
#include "engine/types/topology_objects.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// Names, numbers and verdicts; lib/workload makes them from API objects.
namespace sluice::engine {

/// Quota of one resource in one flavor (ClusterQueue.spec.resourceGroups[].flavors[].resources[]).
struct ResourceQuota {
    Amount nominal;
    std::optional<Amount> borrowing_limit;
    std::optional<Amount> lending_limit;
    friend bool operator==(const ResourceQuota&, const ResourceQuota&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &ResourceQuota::nominal, &ResourceQuota::borrowing_limit, &ResourceQuota::lending_limit
        );
    }
};

/// One flavor of a resource group. `quotas` are in the order of the group's covered resources.
struct FlavorQuotas {
    std::string flavor;
    std::vector<ResourceQuota> quotas;
    friend bool operator==(const FlavorQuotas&, const FlavorQuotas&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&FlavorQuotas::flavor, &FlavorQuotas::quotas);
    }
};

/// Resources that get their flavors together. Requires: a resource or flavor is in at most one
/// group of an object.
struct ResourceGroup {
    std::vector<std::string> covered_resources;
    std::vector<FlavorQuotas> flavors;
    friend bool operator==(const ResourceGroup&, const ResourceGroup&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ResourceGroup::covered_resources, &ResourceGroup::flavors);
    }
};

enum class QueueingStrategy : std::uint8_t { StrictFIFO, BestEffortFIFO };
enum class FungibilityPolicy : std::uint8_t { MayStopSearch, TryNextFlavor };
enum class FungibilityPreference : std::uint8_t {
    BorrowingOverPreemption,
    PreemptionOverBorrowing
};
enum class PreemptionPolicy : std::uint8_t { Never, LowerPriority, LowerOrNewerEqualPriority, Any };

/// ClusterQueue.spec.preemption: the workloads that workloads of the ClusterQueue may evict
/// (KEP-83, KEP-1337).
struct Preemption {
    PreemptionPolicy within_cluster_queue = PreemptionPolicy::Never;
    PreemptionPolicy reclaim_within_cohort = PreemptionPolicy::Never;
    bool borrow_within_cohort = false;  ///< policy LowerPriority; false: Never
    std::optional<std::int32_t> max_priority_threshold;
    friend bool operator==(const Preemption&, const Preemption&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Preemption::within_cluster_queue,
            &Preemption::reclaim_within_cohort,
            &Preemption::borrow_within_cohort,
            &Preemption::max_priority_threshold
        );
    }
};

struct ClusterQueue {
    std::string name;
    std::string cohort;  ///< empty if it has none
    std::vector<ResourceGroup> resource_groups;
    QueueingStrategy strategy = QueueingStrategy::BestEffortFIFO;
    FungibilityPolicy when_can_borrow = FungibilityPolicy::MayStopSearch;
    FungibilityPolicy when_can_preempt = FungibilityPolicy::TryNextFlavor;
    FungibilityPreference preference = FungibilityPreference::BorrowingOverPreemption;
    Preemption preemption;
    double fair_weight = 1.0;
    /// False if the ClusterQueue is stopped or terminating, or if one of its checks forbids
    /// admission. The engine itself detects missing flavors and cycles of cohorts.
    bool accepts_workloads = true;
    bool admission_fair_sharing = false;  ///< admissionScope UsageBasedAdmissionFairSharing
    /// Other clusters place the pods (MultiKueue): topologies are not assigned here.
    bool places_elsewhere = false;
    /// Flavors whose nodes exist only after an admission check (ProvisioningRequest): their
    /// topology is assigned in a second pass. Sorted.
    std::vector<std::string> delayed_flavors = {};
    /// metadata.generation: each change of the spec wakes parked workloads, even a change that no
    /// field above shows.
    std::int64_t generation = 0;
    friend bool operator==(const ClusterQueue&, const ClusterQueue&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &ClusterQueue::name,
            &ClusterQueue::cohort,
            &ClusterQueue::resource_groups,
            &ClusterQueue::strategy,
            &ClusterQueue::when_can_borrow,
            &ClusterQueue::when_can_preempt,
            &ClusterQueue::preference,
            &ClusterQueue::preemption,
            &ClusterQueue::fair_weight,
            &ClusterQueue::accepts_workloads,
            &ClusterQueue::admission_fair_sharing,
            &ClusterQueue::places_elsewhere,
            &ClusterQueue::delayed_flavors,
            &ClusterQueue::generation
        );
    }
};

/// An explicit Cohort object. Cohorts that other objects only name exist too, without quota
/// (KEP-79).
struct Cohort {
    std::string name;
    std::string parent;  ///< empty for a root
    std::vector<ResourceGroup> resource_groups;
    double fair_weight = 1.0;
    friend bool operator==(const Cohort&, const Cohort&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Cohort::name, &Cohort::parent, &Cohort::resource_groups, &Cohort::fair_weight
        );
    }
};

struct ResourceFlavor {
    std::string name;
    std::string topology;  ///< empty if it has none
    /// Topology.spec.levels, from the coarsest to the finest; empty if that object does not exist.
    std::vector<std::string> levels = {};
    /// An admission needs room for its pods on the flavor's nodes (annotation sluice.dev/capacity).
    /// Requires: it has no topology, and kHostnameLevel is its one level.
    bool enforces_capacity = false;
    std::uint32_t node_labels = 0;  ///< number of labels that its nodes must have
    friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};

/// The result of ClusterQueue.spec.namespaceSelector for the namespace of a LocalQueue.
enum class NamespaceMatch : std::uint8_t { Matches, Mismatch, NotFound };

/// An amount in billionths of the unit of a quantity (core, byte). Kueue counts past usage in
/// decimals with nine places: unlike sums of doubles, their sums do not depend on the order.
__extension__ using Billionths = __int128;

/// status.fairSharing.admissionFairSharingStatus.consumedResources.
using ConsumedResources = std::map<std::string, Billionths>;

struct LocalQueue {
    std::string ns;
    std::string name;
    std::string cluster_queue;
    bool stopped = false;
    NamespaceMatch namespace_match = NamespaceMatch::Matches;
    double fair_weight = 1.0;
    ConsumedResources consumed;  ///< read only when the LocalQueue is new
    friend bool operator==(const LocalQueue&, const LocalQueue&) = default;
};

/// The reason why pods of a shape cannot run on a flavor.
enum class ShapeRefusalKind : std::uint8_t {
    UntoleratedTaint,
    NodeAffinity,
    InvalidAffinity,       ///< cannot be parsed; the search for flavors ends
    MissingTopology,       ///< the pods ask for a topology, and that of the flavor does not exist
    MissingTopologyLevel,  ///< the flavor's topology lacks a level that the pods ask for
};

struct ShapeRefusal {
    std::string flavor;
    ShapeRefusalKind kind = ShapeRefusalKind::NodeAffinity;
    std::uint32_t taint = 0;  ///< for UntoleratedTaint: index in the flavor's nodeTaints
    friend bool operator==(const ShapeRefusal&, const ShapeRefusal&) = default;
};

/// A class of pods with the same tolerations, node selector, node affinity and topology request. An
/// event gives each class once, with the existing flavors that refuse its pods. The caller chooses
/// the number.
struct PodShape {
    std::uint32_t id = 0;
    std::vector<ShapeRefusal> refusals;
    /// Set if the pods ask for topology-aware scheduling themselves (KEP-2724).
    std::optional<TopologyRequest> topology = std::nullopt;
    /// Resources that the containers request, before transformations for quota. Empty unless
    /// `topology` is set.
    std::vector<std::string> resources;
    /// Verdicts on nodes, but for those where the pods may run without a preference.
    std::vector<NodeVerdict> nodes = {};
    /// Why no topology can be assigned to such pods; empty if nothing is wrong with them.
    std::string placement_fault = {};
    friend bool operator==(const PodShape&, const PodShape&) = default;
};

struct ResourceRequest {
    std::string resource;
    Amount amount;
    friend bool operator==(const ResourceRequest&, const ResourceRequest&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&ResourceRequest::resource, &ResourceRequest::amount);
    }
};

struct PodSet {
    std::string name;
    std::int32_t count = 1;
    std::optional<std::int32_t> min_count;
    std::int32_t reclaimable = 0;           ///< status.reclaimablePods, at most `count`
    std::vector<ResourceRequest> requests;  ///< of one pod, adjusted and transformed
    std::uint32_t shape = 0;                ///< PodShape::id; 0: every flavor is possible
    std::string group;                      ///< topologyRequest.podSetGroupName
    /// The requests of one pod to its node; nullopt if they are `requests`.
    std::optional<std::vector<ResourceRequest>> node_requests = std::nullopt;
    friend bool operator==(const PodSet&, const PodSet&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &PodSet::name,
            &PodSet::count,
            &PodSet::min_count,
            &PodSet::reclaimable,
            &PodSet::requests,
            &PodSet::shape,
            &PodSet::group,
            &PodSet::node_requests
        );
    }
};

struct AssignedResource {
    std::string resource;
    std::string flavor;
    Amount amount;  ///< total of all pods
    friend bool operator==(const AssignedResource&, const AssignedResource&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &AssignedResource::resource, &AssignedResource::flavor, &AssignedResource::amount
        );
    }
};

/// status.admission.podSetAssignments[].
struct PodSetAssignment {
    std::string name;
    std::vector<AssignedResource> resources;
    std::int32_t count = 0;
    /// topologyAssignment, in its order; nullopt without one.
    std::optional<std::vector<DomainPods>> domains = std::nullopt;
    DelayedTopology delayed = DelayedTopology::None;
    friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &PodSetAssignment::name,
            &PodSetAssignment::resources,
            &PodSetAssignment::count,
            &PodSetAssignment::domains,
            &PodSetAssignment::delayed
        );
    }
};

/// status.admission, with the conditions that matter while the workload holds quota.
struct QuotaReservation {
    std::string cluster_queue;
    std::vector<PodSetAssignment> pod_sets;
    std::optional<Time> reserved_at;  ///< transition of QuotaReserved; nullopt counts as now
    bool admitted = false;
    bool evicted = false;
    std::optional<Time> expected_end;  ///< when it is expected to end; nullopt if unknown
    /// When it is deactivated at the latest: Admitted plus what is left of
    /// spec.maximumExecutionTimeSeconds. It holds its quota until its pods are gone after that.
    /// Absent if it is not admitted or has no limit.
    std::optional<Time> bound;
    SecondPass second_pass = SecondPass::None;
    std::vector<std::string> unhealthy_nodes = {};  ///< status.unhealthyNodes
    /// A pod that cannot move owns it: a failed node keeps its place.
    bool is_of_one_pod = false;
    friend bool operator==(const QuotaReservation&, const QuotaReservation&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &QuotaReservation::cluster_queue,
            &QuotaReservation::pod_sets,
            &QuotaReservation::reserved_at,
            &QuotaReservation::admitted,
            &QuotaReservation::evicted,
            &QuotaReservation::expected_end,
            &QuotaReservation::bound,
            &QuotaReservation::second_pass,
            &QuotaReservation::unhealthy_nodes,
            &QuotaReservation::is_of_one_pod
        );
    }
};

struct Workload {
    std::string ns;
    std::string name;
    std::string uid;
    std::string local_queue;
    std::int64_t priority = 0;  ///< includes the boost of its annotation
    Time queue_order;           ///< creation, or the eviction that moved it to the back
    std::int64_t generation = 0;
    /// Workloads of equal classes are equivalent to the scheduler: if one of them does not fit,
    /// none of them fits. A workload of class 0 is not equivalent to any other.
    std::uint64_t scheduling_class = 0;
    /// Changes whenever one of these does: the conditions Evicted and Requeued, reclaimablePods,
    /// the priority boost, or the effect of LimitRanges on requests and limits.
    std::uint64_t condition_stamp = 0;
    std::vector<PodSet> pod_sets;
    std::optional<QuotaReservation> reservation;
    /// The workload may wait in a queue: it is active, not finished, gated or on hold, and holds no
    /// quota.
    bool queueable = true;
    /// The workload is finished or deactivated. It holds no quota, and each change of it wakes the
    /// parked workloads of its tree. If it has a reservation, it was deactivated before it gave
    /// the reservation up: its LocalQueue stays charged for the admission (KEP-4136).
    bool ended = false;
    bool requeued_false = false;     ///< condition Requeued=False: parked until it changes
    std::optional<Time> requeue_at;  ///< status.requeueState.requeueAt
    bool checks_failed = false;      ///< an admission check is Retry or Rejected
    bool requests_valid = true;      ///< requests within limits and LimitRanges
    bool preemption_gated = false;   ///< a status.preemptionGates entry is Closed
    bool pods_ready = false;         ///< condition PodsReady=True
    /// Elastic jobs (KEP-77): "namespace/name" of the slice that the workload replaces; empty if it
    /// replaces none.
    std::string replaces;
    /// Uid of the elastic job that controls the workload; empty without such a job. A slice
    /// replaces only slices of the same job.
    std::string job;
    bool is_unowned = true;  ///< no object owns it; such slices may replace each other
    friend bool operator==(const Workload&, const Workload&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Workload::ns,
            &Workload::name,
            &Workload::uid,
            &Workload::local_queue,
            &Workload::priority,
            &Workload::queue_order,
            &Workload::generation,
            &Workload::scheduling_class,
            &Workload::condition_stamp,
            &Workload::pod_sets,
            &Workload::reservation,
            &Workload::queueable,
            &Workload::ended,
            &Workload::requeued_false,
            &Workload::requeue_at,
            &Workload::checks_failed,
            &Workload::requests_valid,
            &Workload::preemption_gated,
            &Workload::pods_ready,
            &Workload::replaces,
            &Workload::job,
            &Workload::is_unowned
        );
    }
};

}  // namespace sluice::engine
