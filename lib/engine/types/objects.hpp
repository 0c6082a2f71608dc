#pragma once

#include "engine/types/amount.hpp"
#include "engine/types/time.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

/// The cluster as the engine takes it: names, numbers and verdicts, made from API objects by
/// lib/workload.
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

/// One flavor of a resource group; `quotas` are in the order of the group's covered resources.
struct FlavorQuotas {
    std::string flavor;
    std::vector<ResourceQuota> quotas;
    friend bool operator==(const FlavorQuotas&, const FlavorQuotas&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&FlavorQuotas::flavor, &FlavorQuotas::quotas);
    }
};

/// Resources that are assigned a flavor jointly. Requires: each resource and each flavor stands in
/// one group.
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

/// ClusterQueue.spec.preemption: which workloads its own may evict (KEP-83, KEP-1337).
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
    std::string cohort;  ///< "" : none
    std::vector<ResourceGroup> resource_groups;
    QueueingStrategy strategy = QueueingStrategy::BestEffortFIFO;
    FungibilityPolicy when_can_borrow = FungibilityPolicy::MayStopSearch;
    FungibilityPolicy when_can_preempt = FungibilityPolicy::TryNextFlavor;
    FungibilityPreference preference = FungibilityPreference::BorrowingOverPreemption;
    Preemption preemption;
    double fair_weight = 1.0;
    /// False when it is stopped, terminating or one of its checks forbids admission. Missing
    /// flavors and cohort cycles the engine sees itself.
    bool accepts_workloads = true;
    bool admission_fair_sharing = false;  ///< admissionScope UsageBasedAdmissionFairSharing
    /// metadata.generation: each change of the spec wakes those that wait, also one that shows in
    /// nothing above.
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
            &ClusterQueue::generation
        );
    }
};

/// An explicit Cohort object. Cohorts that are only named exist too, without quota (KEP-79).
struct Cohort {
    std::string name;
    std::string parent;  ///< "" : root
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
    std::string topology;  ///< "" : none
    friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};

/// Whether the namespace may use the LocalQueue's ClusterQueue
/// (ClusterQueue.spec.namespaceSelector).
enum class NamespaceMatch : std::uint8_t { Matches, Mismatch, NotFound };

/// In billionths of the units of quantities (cores, bytes): Kueue counts past usage in decimals of
/// nine places, whose sums do not depend on their order as those of doubles do.
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
    ConsumedResources consumed;  ///< read when the LocalQueue is first told
    friend bool operator==(const LocalQueue&, const LocalQueue&) = default;
};

/// Why pods of a shape cannot run on a flavor.
enum class ShapeRefusalKind : std::uint8_t {
    UntoleratedTaint,
    NodeAffinity,
    InvalidAffinity,       ///< cannot be read: the search for flavors ends here
    MissingTopology,       ///< the pods ask for topology; that of the flavor does not exist
    MissingTopologyLevel,  ///< that of the flavor lacks a level that they ask for
};

struct ShapeRefusal {
    std::string flavor;
    ShapeRefusalKind kind = ShapeRefusalKind::NodeAffinity;
    std::uint32_t taint = 0;  ///< for UntoleratedTaint: which of the flavor's nodeTaints
    friend bool operator==(const ShapeRefusal&, const ShapeRefusal&) = default;
};

/// Pods alike in tolerations, node selector, node affinity and topology request. Each such class is
/// given once, with the existing flavors that refuse it; the caller chooses the number.
struct PodShape {
    std::uint32_t id = 0;
    std::vector<ShapeRefusal> refusals;
    /// Ask for topology-aware scheduling themselves (PodSet.topologyRequest, KEP-2724).
    bool requests_topology = false;
    /// Must run within one domain of it each, or each slice of them.
    bool requires_domain = false;
    /// What their containers request, whatever quota makes of it; of those alone.
    std::vector<std::string> resources;
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
    std::uint32_t shape = 0;                ///< PodShape::id; 0: every flavor will do
    std::string group;                      ///< topologyRequest.podSetGroupName
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
            &PodSet::group
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
    friend bool operator==(const PodSetAssignment&, const PodSetAssignment&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &PodSetAssignment::name, &PodSetAssignment::resources, &PodSetAssignment::count
        );
    }
};

/// status.admission together with the conditions that matter while quota is held.
struct QuotaReservation {
    std::string cluster_queue;
    std::vector<PodSetAssignment> pod_sets;
    std::optional<Time> reserved_at;  ///< transition of QuotaReserved; none: counts as now
    bool admitted = false;
    bool evicted = false;
    friend bool operator==(const QuotaReservation&, const QuotaReservation&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &QuotaReservation::cluster_queue,
            &QuotaReservation::pod_sets,
            &QuotaReservation::reserved_at,
            &QuotaReservation::admitted,
            &QuotaReservation::evicted
        );
    }
};

struct Workload {
    std::string ns;
    std::string name;
    std::string uid;
    std::string local_queue;
    std::int64_t priority = 0;  ///< with the boost of its annotation
    Time queue_order;           ///< creation, or the eviction that sent it to the back
    std::int64_t generation = 0;
    /// Workloads with equal classes are equivalent to the scheduler: where one does not
    /// fit the others do not; 0: equal to none.
    std::uint64_t scheduling_class = 0;
    /// Changes whenever one of the conditions Evicted and Requeued does, reclaimablePods, the
    /// priority boost, or what LimitRanges make of the requests and limits.
    std::uint64_t condition_stamp = 0;
    std::vector<PodSet> pod_sets;
    std::optional<QuotaReservation> reservation;
    /// May wait in a queue: active, not finished, not gated, not on hold, holds no
    /// quota.
    bool queueable = true;
    /// Finished or deactivated: holds nothing, and each change of it wakes those that wait in its
    /// tree. With a reservation: deactivated before it gave that up, so what its admission costs
    /// its LocalQueue stays charged (KEP-4136).
    bool ended = false;
    bool requeued_false = false;     ///< condition Requeued=False: parked until that changes
    std::optional<Time> requeue_at;  ///< status.requeueState.requeueAt
    bool checks_failed = false;      ///< an admission check is Retry or Rejected
    bool requests_valid = true;      ///< requests within limits and LimitRanges
    bool preemption_gated = false;   ///< a status.preemptionGates entry is Closed
    bool pods_ready = false;         ///< condition PodsReady=True
    /// Elastic jobs (KEP-77): "namespace/name" of the slice that it takes the place of; "":
    /// none.
    std::string replaces;
    /// Uid of the elastic job that controls the workload; empty if there is none. A slice takes the
    /// place of a slice of the same job alone.
    std::string job;
    bool is_unowned = true;  ///< no object owns the workload; such slices may replace each other
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
