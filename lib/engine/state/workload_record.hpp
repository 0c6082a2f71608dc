// A workload as the state keeps it, with the quota that it holds.
#pragma once

#include "base/cow.hpp"
#include "base/small_vector.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/names/workload_identity.hpp"
#include "engine/quota/quota_tree.hpp"
#include "engine/state/held_nodes.hpp"
#include "engine/topology/leaf_demand.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::engine {

/// The flavors at which the last search stopped: the next search continues after them (KEP-582).
struct LastAssignment {
    struct Tried {
        ResourceIndex resource;
        std::int32_t index = -1;

        /// All members, for save() and load().
        static constexpr auto members() { return std::tuple(&Tried::resource, &Tried::index); }
    };
    std::vector<std::vector<Tried>> pod_sets;
    std::uint64_t generation = 0;
    std::uint64_t cycle = 0;
    std::uint64_t scheduling_class = 0;

    /// Returns the position of the flavor with which the next search begins: the one after the last
    /// tried flavor, or 0 if the last search tried all flavors.
    std::size_t next(std::uint32_t pod_set, ResourceIndex resource) const;
    /// Returns true if the search for a resource stopped before the last flavor.
    bool has_progress() const;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &LastAssignment::pod_sets,
            &LastAssignment::generation,
            &LastAssignment::cycle,
            &LastAssignment::scheduling_class
        );
    }
};

/// Where a pending workload is; see State::bucket().
enum class Bucket : std::uint8_t {
    None,
    Heap,          ///< waiting: cycles try it
    Inadmissible,  ///< parked: it waits for an event
    Inflight,      ///< a cycle is trying it
};

/// A reason why a pending workload is not tried before a certain time.
enum class BackOff : std::uint8_t {
    Requeue,       ///< status.requeueState.requeueAt
    RefusedWrite,  ///< the API refused our admission
};

/// The usage that one podSet of a holder is charged for.
struct HeldPodSet {
    std::string name;
    std::int32_t count = 0;  ///< pods that still need quota
    Usages usages;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&HeldPodSet::name, &HeldPodSet::count, &HeldPodSet::usages);
    }
};

/// The topology of one podSet of a holder.
struct HeldTopology {
    FlavorIndex flavor;
    std::uint32_t pod_set = 0;        ///< position in the workload's podSets
    std::vector<DomainPods> domains;  ///< in the order of their paths

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&HeldTopology::flavor, &HeldTopology::pod_set, &HeldTopology::domains);
    }
};

/// The topologies and nodes of a holder, and what a second pass needs to know.
struct HeldPlacement {
    std::vector<HeldTopology> topologies;
    std::vector<HeldNodes> nodes;
    /// `topologies` and `nodes` as leaves, without domains that no node is in. Not saved: made
    /// again when a topology changes.
    std::vector<LeafDemand> leaves;
    SecondPass second_pass = SecondPass::None;  ///< why it is a head of cycles again
    std::vector<AssignedPodSet> assigned;       ///< its admission, for a second pass
    std::vector<std::string> unhealthy_nodes;
    bool is_of_one_pod = false;  ///< a pod that cannot move owns it
    /// The placement that a refused write restores; null unless a topology is being written.
    CowPtr<HeldPlacement> before;

    /// Returns true if its pods take room on nodes.
    bool has_places() const { return !topologies.empty() || !nodes.empty(); }

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &HeldPlacement::topologies,
            &HeldPlacement::nodes,
            &HeldPlacement::second_pass,
            &HeldPlacement::assigned,
            &HeldPlacement::unhealthy_nodes,
            &HeldPlacement::is_of_one_pod,
            &HeldPlacement::before
        );
    }
};

/// Quota that a workload holds, from its status or from our own decision.
struct Holding {
    NodeIndex cluster_queue;
    Usages usages;
    std::vector<HeldPodSet> pod_sets;  ///< in the admission's order; empty for a single podSet
    std::int32_t count = 0;            ///< for a single podSet: pods that still need quota
    std::optional<Time> reserved_at;
    std::optional<Time> expected_end;  ///< when it is expected to end; nullopt if unknown
    std::optional<Time> bound;         ///< when it is deactivated at the latest
    CowPtr<HeldPlacement> placement;   ///< null without a topology and a second pass
    std::uint32_t position = 0;        ///< in the ClusterQueue's list of holders
    bool admitted = false;
    bool evicted = false;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &Holding::cluster_queue,
            &Holding::usages,
            &Holding::pod_sets,
            &Holding::count,
            &Holding::reserved_at,
            &Holding::expected_end,
            &Holding::bound,
            &Holding::placement,
            &Holding::position,
            &Holding::admitted,
            &Holding::evicted
        );
    }
};

/// The part of an admission that belongs to one podSet.
struct PodSetShare {
    std::string name;
    std::int32_t assigned = 0;      ///< number of pods
    std::int64_t left = 0;          ///< number of the podSet's pods that still need quota
    SmallVector<Usage, 4> amounts;  ///< for all assigned pods, in any order
};

/// Adds the usage that the podSet is charged for to `into`: the part of its amounts for the pods
/// that still need quota (status.reclaimablePods, KEP-78). `is_only`: the workload has no other
/// podSet.
void add_pod_set(Holding& into, PodSetShare share, bool is_only);

/// A workload as the state keeps it.
struct WorkloadRecord {
    static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

    WorkloadIdentity identity;
    // The fields that queues read are next to each other, because queues read very many records.
    LocalQueueIndex local_queue;
    /// Index of its group in the PendingQueue; `side` and `bucket_position` are its place there.
    std::uint32_t group = kNoGroup;
    std::uint32_t bucket_position = 0;
    std::int64_t priority = 0;
    Time queue_order;
    std::uint8_t side = 0;
    bool is_inflight = false;  ///< a cycle is trying it
    bool exists = false;
    bool queueable = false;
    bool requeued_false = false;
    bool checks_failed = false;
    bool requests_valid = true;
    bool preemption_gated = false;
    bool pods_ready = false;
    bool is_unowned = true;
    std::optional<Time> requeue_at;
    std::optional<Time> held_back_until;  ///< set after the API refused our admission
    std::int64_t generation = 0;
    std::uint64_t scheduling_class = 0;
    std::uint64_t condition_stamp = 0;
    PodSets pod_sets;
    CowPtr<Holding> holding;
    CowPtr<LastAssignment> last_assignment;
    CowPtr<std::string> replaces;  ///< key of the slice that this workload replaces
    CowPtr<std::string> job;       ///< uid of its elastic job
    CowPtr<Workload> deferred;     ///< its last change while our admission is being written
    std::uint32_t local_queue_position = 0;
    std::uint32_t eviction = 0;           ///< number of our last eviction of it
    std::uint8_t refused_admissions = 0;  ///< consecutive
    bool assumed = false;  ///< our admission is being written: the object's own status lags behind
    bool reservation_shown = false;  ///< by the object, since `assumed` was set
    bool eviction_expected = false;  ///< our eviction is being written
    bool shows_admitted = false;     ///< the last status was Admitted
    bool queue_changed = false;      ///< it is in StateData::queue_changes

    /// Returns "namespace/name". *Lifetime*: as long as the workload exists.
    std::string_view key() const { return identity.key(); }
    /// Returns metadata.uid. *Lifetime*: as long as the workload exists.
    std::string_view uid() const { return identity.uid(); }
    /// Returns true if something keeps the workload back for a time, or did: whether that time is
    /// over is not decided here.
    bool has_back_off() const { return requeued_false || requeue_at || held_back_until; }
    /// Returns true if the workload is pending: waiting, parked or in flight.
    bool is_queued() const { return group != kNoGroup || is_inflight; }

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &WorkloadRecord::identity,
            &WorkloadRecord::local_queue,
            &WorkloadRecord::group,
            &WorkloadRecord::bucket_position,
            &WorkloadRecord::priority,
            &WorkloadRecord::queue_order,
            &WorkloadRecord::side,
            &WorkloadRecord::is_inflight,
            &WorkloadRecord::exists,
            &WorkloadRecord::queueable,
            &WorkloadRecord::requeued_false,
            &WorkloadRecord::checks_failed,
            &WorkloadRecord::requests_valid,
            &WorkloadRecord::preemption_gated,
            &WorkloadRecord::pods_ready,
            &WorkloadRecord::is_unowned,
            &WorkloadRecord::requeue_at,
            &WorkloadRecord::held_back_until,
            &WorkloadRecord::generation,
            &WorkloadRecord::scheduling_class,
            &WorkloadRecord::condition_stamp,
            &WorkloadRecord::pod_sets,
            &WorkloadRecord::holding,
            &WorkloadRecord::last_assignment,
            &WorkloadRecord::replaces,
            &WorkloadRecord::job,
            &WorkloadRecord::deferred,
            &WorkloadRecord::local_queue_position,
            &WorkloadRecord::eviction,
            &WorkloadRecord::refused_admissions,
            &WorkloadRecord::assumed,
            &WorkloadRecord::reservation_shown,
            &WorkloadRecord::eviction_expected,
            &WorkloadRecord::shows_admitted,
            &WorkloadRecord::queue_changed
        );
    }
};

/// Compares by uid, then by "namespace/name": objects without a uid have only that.
inline bool is_before_by_name(const WorkloadRecord& a, const WorkloadRecord& b) {
    const int by_uid = a.uid().compare(b.uid());
    return by_uid != 0 ? by_uid < 0 : a.key() < b.key();
}

/// Returns true if workload a has waited longer: the order within a priority.
inline bool is_before_by_time(const WorkloadRecord& a, const WorkloadRecord& b) {
    return a.queue_order != b.queue_order ? a.queue_order < b.queue_order : is_before_by_name(a, b);
}

/// The records of all workloads, by WorkloadIndex.
using WorkloadRecords = CowVector<WorkloadRecord, 32>;

}  // namespace sluice::engine
