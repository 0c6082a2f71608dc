// The decisions of a cycle: admissions, preemptions and refusals.
#pragma once

#include "base/small_vector.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/placement_failure.hpp"
#include "engine/types/topology_objects.hpp"
#include "engine/types/usages.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

/// State resolves the indices to names. They are valid until the next event.
namespace sluice::engine {

struct AssignedFlavor {
    ResourceIndex resource;
    FlavorIndex flavor;
    /// Total of all pods; nullopt if the pods request nothing of the resource and only follow the
    /// other pods of their podSet group.
    std::optional<Amount> amount;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &AssignedFlavor::resource, &AssignedFlavor::flavor, &AssignedFlavor::amount
        );
    }
};

/// Reasons of the condition Preempted, spelled as the API spells them.
enum class PreemptionReason : std::uint8_t {
    InClusterQueue,
    InCohortReclamation,
    InCohortFairSharing,
    InCohortReclaimWhileBorrowing,
};

struct PreemptionDecision {
    WorkloadIndex victim;
    NodeIndex victim_cluster_queue;
    PreemptionReason reason = PreemptionReason::InClusterQueue;
    WorkloadIndex preemptor;
    NodeIndex preemptor_cluster_queue;
};

/// Reasons of the condition QuotaReserved=False that the scheduler writes.
enum class WaitingReason : std::uint8_t {
    NoMatchingFlavor,
    ExceedsMaxQuota,
    WaitingForQuota,
    TopologyPlacementFailed,
    WaitingForPreemptedWorkloads,
    Misconfigured,
    PendingEvaluation,
    WaitingForPodsReady,
    AdmissionGated,
    Unspecified,  ///< Kueue has no reason if an earlier resource fits
    /// TopologyPlacementFailed where Kueue has no reason: quota and topology fail for different
    /// podSets.
    UnspecifiedTopology,
};

/// The subject of a refusal's message.
enum class RefusalKind : std::uint8_t {
    FailedChecks,
    InactiveClusterQueue,  ///< of a workload that holds quota in it
    NamespaceMismatch,
    NamespaceNotFound,
    InvalidRequests,
    Assignment,         ///< no flavors were found; see FlavorRefusal
    PendingPreemption,  ///< assignment message + "Pending the preemption of N workload(s)"
    PreemptionGated,
    DeferredFit,  ///< the workload fits once the victims of other workloads are gone
    NoLongerFits,
    OverlappingTargets,
    WaitingForPodsReady,
};

/// The reason why a podSet did not get a flavor, or a resource in that flavor. The amounts are
/// those at the time of the decision; later decisions of the cycle do not change them.
struct FlavorRefusal {
    enum class Kind : std::uint8_t {
        ResourceUnavailable,  ///< no resource group covers it
        FlavorNotFound,
        UntoleratedTaint,
        NodeAffinity,
        InvalidAffinity,     ///< of podSet `pod_set`; no other refusal is listed
        InsufficientUnused,  ///< `wanted()` > `free`, by `needed`
        ExceedsCapacity,     ///< `wanted()` > `capacity`
        NotNominated,        ///< a recomputation tries only the nominated flavors
        NotOfReplacedSlice,  ///< the slice to replace has another flavor, `held`
        // Topology-aware scheduling (KEP-2724), for one flavor:
        TopologyUnsupported,  ///< the pods ask for a topology, and the flavor has none
        TopologyOnly,         ///< the flavor is only for pods that ask for a topology
        TopologyMissing,
        TopologyLevelMissing,
        // Topology-aware scheduling, for all chosen flavors; no other kind is listed:
        NoTopologyInQueue,   ///< no flavor of the ClusterQueue has a topology
        NoTopologyFlavor,    ///< no chosen flavor has a topology
        TwoTopologyFlavors,  ///< several chosen flavors have one; one entry for each
        NotPlaced,           ///< the nodes of the flavor have no places; see `placement`
    };
    Kind kind = Kind::InsufficientUnused;
    // For InsufficientUnused:
    bool at_borrowing_limit = false;  ///< `node` may borrow no more; false: `node` has no more
    bool has_victims = false;         ///< policies allow evictions that free enough of it
    /// The search found a holder that would be a victim if its priority were lower. A search that
    /// is left out because it cannot succeed finds none.
    bool is_spared_by_priority = false;
    bool is_choice = false;  ///< the workload would take this flavor if it were free
    FlavorIndex flavor;
    ResourceIndex resource;
    std::uint32_t taint = 0;
    std::uint32_t pod_set = 0;  ///< for InvalidAffinity
    FlavorIndex held;           ///< for NotOfReplacedSlice; invalid if the slice has none
    /// For InsufficientUnused: the node whose quota or borrowing limit is used up.
    NodeIndex node;
    // For InsufficientUnused and ExceedsCapacity:
    Amount needed;     ///< missing amount; for InsufficientUnused
    Amount assumed;    ///< amount for earlier podSets of the same workload
    Amount requested;  ///< amount for this podSet
    Amount free;       ///< amount that is available to its ClusterQueue
    Amount capacity;   ///< largest amount that can become available to its ClusterQueue

    /// For NotPlaced.
    std::shared_ptr<const PlacementFailure> placement;

    Amount wanted() const { return assumed + requested; }
};

/// How far a search gets with one flavor, worst first (KEP-582).
enum class FlavorMode : std::uint8_t { NoFit, NoPreemptionCandidates, Preempt, Reclaim, Fit };

/// A flavor that a search considered or skipped. Those of an admission are the flavors that the
/// podSet cannot have without borrowing.
struct ConsideredFlavor {
    FlavorIndex flavor;
    FlavorMode mode = FlavorMode::NoFit;
    std::int32_t level = 0;  ///< borrowing level, the highest of its resources
    std::vector<FlavorRefusal> refusals;
};

struct AssignedPodSet {
    std::uint32_t pod_set = 0;  ///< position in the workload's podSets
    std::int32_t count = 0;
    SmallVector<AssignedFlavor, 4> flavors;
    /// By resource group, in the order of the group's flavors.
    std::vector<ConsideredFlavor> considered;
    FlavorIndex topology;  ///< the flavor whose nodes have `leaves`
    /// The leaves that its pods get, in the order of their paths; nullopt if no topology was
    /// assigned now. See FlavorTopology.
    std::optional<std::vector<LeafPods>> leaves;
    DelayedTopology delayed = DelayedTopology::None;

    /// The members that a holder keeps, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &AssignedPodSet::pod_set,
            &AssignedPodSet::count,
            &AssignedPodSet::flavors,
            &AssignedPodSet::delayed
        );
    }
};

struct AdmissionDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    SmallVector<AssignedPodSet, 1> pod_sets;
    std::int32_t borrowing_level = 0;  ///< height of the lowest subtree whose quota suffices
    /// The slice that the workload replaces, if any. The slice holds its quota until its object is
    /// Finished, and it is not a victim.
    WorkloadIndex replaces;
};

struct PodSetRefusal {
    std::uint32_t pod_set = 0;
    std::vector<FlavorRefusal> flavors;  ///< in the order found; the message sorts them
    /// The flavors that the search skipped because it continued after the flavor at which the last
    /// search had stopped. Condition messages do not mention them.
    std::vector<ConsideredFlavor> skipped;
};

/// Where a refused head went: to the heap, or parked. Dropped if it may no longer queue.
enum class RequeuedTo : std::uint8_t { Heap, Inadmissible, Dropped };

/// How much a cycle records of the reasons for its refusals. It changes no decision.
enum class Recording : std::uint8_t {
    Messages,  ///< what condition messages and events need
    /// Also what explanations need: RefusalDecision::fewest_pods, `shortages`, `targets` and
    /// `reserved`, and PodSetRefusal::skipped. This takes more searches.
    Explanations,
};

struct RefusalDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    WaitingReason reason = WaitingReason::WaitingForQuota;
    RefusalKind kind = RefusalKind::Assignment;
    std::vector<PodSetRefusal> pod_sets;
    /// `pod_sets` for the fewest pods that the workload accepts, if that is fewer than it asks for.
    /// Condition messages do not mention them.
    std::vector<PodSetRefusal> fewest_pods;
    /// For PendingPreemption: evictions issued now or still in progress.
    std::uint32_t preemptions = 0;
    RequeuedTo requeued = RequeuedTo::Dropped;
    /// The search stopped before the last flavor: the next cycle continues with the remaining
    /// flavors and has its own reason. For the head of a StrictFIFO queue the two reasons
    /// alternate. Set for Assignment, NoLongerFits and OverlappingTargets.
    bool leaves_flavors_over = false;
    /// `pod_sets` were computed in the workload's turn, with the targets of other workloads gone.
    /// If false, they were computed before the first turn.
    bool is_recomputed = false;
    /// Number of CycleResult::admitted with an earlier turn.
    std::uint32_t admitted_before = 0;
    /// For NoLongerFits and DeferredFit: flavors that were found but were not free in the
    /// workload's turn. For NoLongerFits, with its own targets and those of other workloads gone;
    /// for DeferredFit, with all targets present.
    std::vector<FlavorRefusal> shortages;
    /// Holders that were to be evicted for the workload, and the slice that it would replace.
    std::vector<WorkloadIndex> targets;
    /// Usage that was kept for the workload until the end of the cycle. An amount is negative if
    /// the workload would borrow and its ClusterQueue is above its borrowing limit.
    Usages reserved;
};

/// The outcome of a head that held quota already, for which a topology was to be assigned.
struct SecondPassDecision {
    enum class Outcome : std::uint8_t {
        Assigned,  ///< `pod_sets` have the topology
        Evicted,   ///< no node replaces a failed one
        Failed,    ///< tried again; see `refusal`
    };
    Outcome outcome = Outcome::Failed;
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    SmallVector<AssignedPodSet, 1> pod_sets;
    RefusalDecision refusal;
};

struct CycleResult {
    std::uint64_t cycle = 0;  ///< 0 if no queue had a head; such a cycle does not count
    std::vector<AdmissionDecision> admitted;    ///< in processing order
    std::vector<PreemptionDecision> preempted;  ///< newly evicted, grouped by preemptor
    /// In processing order, then those that were refused before ordering.
    std::vector<RefusalDecision> refused;
    /// In processing order, then those that other heads of their ClusterQueue displaced.
    std::vector<SecondPassDecision> second_passes;
};

}  // namespace sluice::engine
