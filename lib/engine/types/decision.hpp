#pragma once

#include "base/small_vector.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/usages.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// What a cycle decided. Indices are resolved to names by State; they hold until the next event.
namespace sluice::engine {

struct AssignedFlavor {
    ResourceIndex resource;
    FlavorIndex flavor;
    /// Total of all pods; none: they request nothing of it and go where their group goes.
    std::optional<Amount> amount;
};

/// Reasons of condition Preempted, spelled as the API spells them.
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

/// Reasons of condition QuotaReserved=False that the scheduler writes.
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
    Unspecified,  ///< upstream writes none where a resource before fits
};

/// What the sentence of a refusal is about.
enum class RefusalKind : std::uint8_t {
    FailedChecks,
    NamespaceMismatch,
    NamespaceNotFound,
    InvalidRequests,
    Assignment,         ///< no flavors; see FlavorRefusal
    PendingPreemption,  ///< assignment message + "Pending the preemption of N workload(s)"
    PreemptionGated,
    DeferredFit,  ///< will fit once victims of others are gone
    NoLongerFits,
    OverlappingTargets,
    WaitingForPodsReady,
};

/// Why one podSet did not get one flavor, or one resource of it. Amounts are
/// those of the decision, whatever the rest of the cycle made of them.
struct FlavorRefusal {
    enum class Kind : std::uint8_t {
        ResourceUnavailable,  ///< no resource group covers it
        FlavorNotFound,
        UntoleratedTaint,
        NodeAffinity,
        InvalidAffinity,     ///< that of podSet `pod_set`; says all that there is to say
        InsufficientUnused,  ///< `wanted()` > `free`, by `needed`
        ExceedsCapacity,     ///< `wanted()` > `capacity`
        NotNominated,        ///< a recomputation keeps to the flavors nominated first
        NotOfReplacedSlice,  ///< the slice that it takes the place of has another, `held`
        // Topology-aware scheduling (KEP-2724), one flavor:
        TopologyUnsupported,  ///< the pods ask for it, and the flavor has none
        TopologyOnly,         ///< the flavor is for pods that ask for it
        TopologyMissing,
        TopologyLevelMissing,
        // The same, of what was chosen; these say all that there is to say:
        NoTopologyInQueue,   ///< no flavor of the ClusterQueue has one
        NoTopologyFlavor,    ///< none that was chosen
        TwoTopologyFlavors,  ///< more than one; one entry each
        DomainNotPlaced,  ///< the pods must run within one domain, and no domain is chosen for them
    };
    Kind kind = Kind::InsufficientUnused;
    // For InsufficientUnused:
    bool at_borrowing_limit = false;  ///< `node` may borrow no more; else it has no more
    bool has_victims = false;         ///< evicting what policies allow would free enough of it
    /// A holder that the search came upon would be a victim if its priority were lower. A search
    /// that is known to be in vain comes upon none.
    bool is_spared_by_priority = false;
    bool is_choice = false;  ///< the flavor that it would take if it were free
    FlavorIndex flavor;
    ResourceIndex resource;
    std::uint32_t taint = 0;
    std::uint32_t pod_set = 0;  ///< for InvalidAffinity
    FlavorIndex held;           ///< for NotOfReplacedSlice; invalid: none
    NodeIndex node;  ///< for InsufficientUnused: whose quota or borrowing limit gives out
    // For the two about quota:
    Amount needed;     ///< what is missing of it; for InsufficientUnused
    Amount assumed;    ///< what podSets before it, of the same workload, were to get
    Amount requested;  ///< what this one asks for
    Amount free;       ///< what its ClusterQueue could still have
    Amount capacity;   ///< what its ClusterQueue could have at most

    Amount wanted() const { return assumed + requested; }
};

/// What a search makes of one flavor, worst first (KEP-582).
enum class FlavorMode : std::uint8_t { NoFit, NoPreemptionCandidates, Preempt, Reclaim, Fit };

/// A flavor that a search considered, or could have; of an admission one that was not to be had
/// without borrowing, or not at all.
struct ConsideredFlavor {
    FlavorIndex flavor;
    FlavorMode mode = FlavorMode::NoFit;
    std::int32_t level = 0;  ///< of borrowing, the highest of its resources
    std::vector<FlavorRefusal> refusals;
};

struct AssignedPodSet {
    std::uint32_t pod_set = 0;  ///< position in the workload's podSets
    std::int32_t count = 0;
    SmallVector<AssignedFlavor, 4> flavors;
    std::vector<ConsideredFlavor> considered;  ///< by resource group, in the order of its flavors
};

struct AdmissionDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    SmallVector<AssignedPodSet, 1> pod_sets;
    std::int32_t borrowing_level = 0;  ///< height of the lowest subtree whose quota covers it
    /// The slice that the workload takes the place of, if any: it holds its quota until its object
    /// says Finished, and is no victim.
    WorkloadIndex replaces;
};

struct PodSetRefusal {
    std::uint32_t pod_set = 0;
    std::vector<FlavorRefusal> flavors;  ///< in the order found; the sentence sorts them
    /// What the flavors in front would have said where the search went on behind them, as it had
    /// stopped there the last time. No sentence speaks of them.
    std::vector<ConsideredFlavor> skipped;
};

enum class RequeuedTo : std::uint8_t { Heap, Inadmissible, Dropped };

struct RefusalDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    WaitingReason reason = WaitingReason::WaitingForQuota;
    RefusalKind kind = RefusalKind::Assignment;
    std::vector<PodSetRefusal> pod_sets;
    /// The same of as few pods as it would do with, where they are fewer; no sentence speaks of it.
    std::vector<PodSetRefusal> fewest_pods;
    std::uint32_t preemptions = 0;  ///< for PendingPreemption: issued now or still under way
    RequeuedTo requeued = RequeuedTo::Dropped;
    /// The search stopped before the last flavor: the next cycle goes on with the others, and has
    /// a reason of its own. At the head of a StrictFIFO queue the two alternate. Set for
    /// Assignment, NoLongerFits and OverlappingTargets.
    bool leaves_flavors_over = false;
    /// `pod_sets` were found in its turn, with the targets of others gone; else before the first
    /// turn.
    bool is_recomputed = false;
    std::uint32_t admitted_before = 0;  ///< how many of CycleResult::admitted had their turn before
    /// What it had found flavors for and could not have in its turn: NoLongerFits, with the targets
    /// of others and its own gone; DeferredFit, with none gone.
    std::vector<FlavorRefusal> shortages;
    /// Holders that are to go for it, the slice that it would replace among them.
    std::vector<WorkloadIndex> targets;
    /// What was kept for it until the end of the cycle; above nominal quota perhaps less than 0.
    Usages reserved;
};

struct CycleResult {
    std::uint64_t cycle = 0;  ///< 0: there was no head, and the cycle does not count
    std::vector<AdmissionDecision> admitted;    ///< in processing order
    std::vector<PreemptionDecision> preempted;  ///< newly evicted, preemptor by preemptor
    /// In processing order, then those refused before ordering.
    std::vector<RefusalDecision> refused;
};

}  // namespace sluice::engine
