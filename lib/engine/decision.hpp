#pragma once

#include "base/small_vector.hpp"
#include "engine/amount.hpp"
#include "engine/ids.hpp"

#include <cstdint>
#include <vector>

/// What a cycle decided. Indices are resolved to names by State; they hold until the next event.
namespace sluice::engine {

struct AssignedFlavor {
    ResourceIndex resource;
    FlavorIndex flavor;
    Amount amount;  ///< total of all pods
};

struct AssignedPodSet {
    std::uint32_t pod_set = 0;  ///< position in the workload's podSets
    std::int32_t count = 0;
    SmallVector<AssignedFlavor, 4> flavors;
};

struct AdmissionDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    SmallVector<AssignedPodSet, 1> pod_sets;
    std::int32_t borrowing_level =
        0;  ///< height of the lowest subtree whose quota covers it (spec 4.8)
    /// The slice that the workload takes the place of, if any: it holds its quota until its object
    /// says Finished, and is no victim.
    WorkloadIndex replaces;
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

/// Reasons of condition QuotaReserved=False that the scheduler writes (spec 2.3).
enum class WaitingReason : std::uint8_t {
    NoMatchingFlavor,
    ExceedsMaxQuota,
    WaitingForQuota,
    TopologyPlacementFailed,
    WaitingForPreemptedWorkloads,
    Misconfigured,
    Suspended,
    PendingEvaluation,
    WaitingForPodsReady,
    AdmissionGated,
    Unspecified,  ///< upstream writes no reason in the case of spec 4.4.4a
};

/// What the sentence of a refusal is about (spec 2.3, "Messages by the scheduler").
enum class RefusalKind : std::uint8_t {
    FailedChecks,
    ClusterQueueInactive,
    ClusterQueueNotFound,
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

/// Why one podSet did not get one flavor, or one resource of it (spec 4.5 to 4.7).
struct FlavorRefusal {
    enum class Kind : std::uint8_t {
        ResourceUnavailable,  ///< no resource group covers it
        FlavorNotFound,
        UntoleratedTaint,
        NodeAffinity,
        InvalidAffinity,     ///< that of podSet `pod_set`; says all that there is to say
        InsufficientUnused,  ///< `needed` more
        ExceedsCapacity,     ///< `assumed` + `requested` > `capacity`
        NotNominated,        ///< a recomputation keeps to the flavors nominated first (spec 3.10.2)
        NotOfReplacedSlice,  ///< the slice that it takes the place of has another, `held`
    };
    Kind kind = Kind::InsufficientUnused;
    FlavorIndex flavor;
    ResourceIndex resource;
    std::uint32_t taint = 0;
    std::uint32_t pod_set = 0;  ///< for InvalidAffinity
    FlavorIndex held;           ///< for NotOfReplacedSlice; invalid: none
    Amount needed;
    Amount assumed;
    Amount requested;
    Amount capacity;
};

struct PodSetRefusal {
    std::uint32_t pod_set = 0;
    std::vector<FlavorRefusal> flavors;  ///< in the order found; the sentence sorts them
};

enum class RequeuedTo : std::uint8_t { Active, Inadmissible, Dropped };

struct RefusalDecision {
    WorkloadIndex workload;
    NodeIndex cluster_queue;
    WaitingReason reason = WaitingReason::WaitingForQuota;
    RefusalKind kind = RefusalKind::Assignment;
    std::vector<PodSetRefusal> pod_sets;
    std::uint32_t preemptions = 0;  ///< for PendingPreemption: issued now or still under way
    RequeuedTo requeued = RequeuedTo::Dropped;
};

struct CycleResult {
    std::uint64_t cycle = 0;  ///< 0: there was no head, and the cycle does not count
    std::vector<AdmissionDecision> admitted;    ///< in processing order
    std::vector<PreemptionDecision> preempted;  ///< newly evicted, preemptor by preemptor
    std::vector<RefusalDecision>
        refused;  ///< in processing order, then those refused before ordering
};

}  // namespace sluice::engine
