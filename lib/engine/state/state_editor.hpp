// Changes a State as events and cycles require; internal to the engine.
#pragma once

#include "engine/state/cycle_decision.hpp"
#include "engine/state/state.hpp"
#include "engine/types/event.hpp"

#include <string_view>
#include <vector>

namespace sluice::engine {

/// Applies changes to a State: each event and each cycle is a sequence of these functions. Callers
/// outside the engine use engine.hpp.
class StateEditor {
  public:
    StateEditor(State& state, Time now) : state_(state), data_(state.data_to_change()), now_(now) {}

    // One overload for each event type, called by apply() (engine.hpp).
    void on(const FlavorChanged& event);
    void on(const FlavorDeleted& event);
    void on(const CohortChanged& event);
    void on(const CohortDeleted& event);
    void on(const ClusterQueueChanged& event);
    void on(const ClusterQueueDeleted& event);
    void on(const LocalQueueChanged& event);
    void on(const LocalQueueDeleted& event);
    void on(const PodShapeChanged& event);
    void on(const PodShapeDeleted& event);
    void on(const WorkloadChanged& event);
    void on(const WorkloadDeleted& event);
    void on(const AdmissionWritten& event);
    void on(const AdmissionFailed& event);
    void on(const PreemptionFailed& event);
    void on(const TimerFired& event);
    /// Moves the engine's own delays after the wall clock was set; see step_clock() of engine.hpp.
    void step_clock(Duration by);

    /// Makes decisions of the state as it was until now uncommittable.
    void begin_change() { ++data_.version; }
    /// Makes the state what the decision says. Requires: the decision was made of this state, which
    /// has not changed since.
    void commit(CycleDecision& decision);

    /// Updates the stale parts of the quota tree, and which of their ClusterQueues are active.
    void refresh();

    // Queues.
    /// Implements take_queue_changes() of engine.hpp.
    std::vector<WorkloadIndex> take_queue_changes();
    /// Adds a workload to the heap of its ClusterQueue, whatever its back-off. Requires: the
    /// workload is not queued, and cluster_queue_of() returns a ClusterQueue.
    void push_to_heap(WorkloadIndex workload);
    /// Parks a workload in its ClusterQueue. Requires: as for push_to_heap().
    void push_inadmissible(WorkloadIndex workload);
    /// Removes a workload from its queue, or from flight if a cycle is trying it. Does nothing if
    /// the workload is not queued.
    void take_from_queue(WorkloadIndex workload);
    /// Queues a pending workload: parks it if it is in back-off or its scheduling class is parked,
    /// else adds it to the heap. Does nothing if cluster_queue_of() returns an invalid index.
    void enqueue(WorkloadIndex workload);
    /// Takes a workload out of the heap as if it were its head. Requires: it is in a heap.
    void pop(WorkloadIndex workload);
    /// Puts a head that was not admitted where the decision says.
    void requeue(WorkloadIndex workload, RequeuedTo to);
    /// Parks every heap entry of that class and remembers it until its tree is woken.
    void park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class);
    /// Records that `victims` are being evicted for the workload. If all their evictions are still
    /// being written and every one of those writes fails, the former preemptor is restored.
    void set_preemptor(
        NodeIndex cluster_queue, WorkloadIndex workload, const std::vector<WorkloadIndex>& victims
    );
    /// Removes the workload as the preemptor, and as the former preemptor, of its ClusterQueue.
    /// Requires: the workload is not in the heap.
    void clear_preemptor(WorkloadIndex workload);
    /// Moves the parked workloads of the node's whole tree to their heaps, now or at the end of the
    /// wake batch. Does nothing if the node is in a cycle of parents.
    void wake_tree_of(NodeIndex node);

    /// Wakes parked workloads after a workload ended or uses less quota: those in the tree of
    /// `queued_in`, the ClusterQueue of its LocalQueue, and those in the tree of `freed`, where it
    /// used quota. If `freed` is in another tree, its tree is woken one second later, or after the
    /// wake batch if that is longer. Invalid indices are ignored.
    void wake_for(NodeIndex freed, NodeIndex queued_in);

    /// Charges the LocalQueue at once for an assumed admission of the workload (KEP-4136).
    void charge_admission(WorkloadIndex workload);

    // Quota.
    /// Makes the workload a holder: removes it from its queue and adds its usage to the tree.
    /// Requires: the workload does not hold quota.
    void hold(WorkloadIndex workload, CowPtr<Holding> holding);
    /// Removes the workload's usage from the tree. Requires: the workload holds quota. Callers wake
    /// the workloads that wait for the quota.
    void release(WorkloadIndex workload);

    /// Returns the ClusterQueue in which the workload may queue. Returns an invalid index if its
    /// LocalQueue does not exist, is stopped, or names a ClusterQueue that does not exist.
    NodeIndex cluster_queue_of(const WorkloadRecord& workload) const {
        return state_.cluster_queue_of(workload);
    }
    /// Returns true if neither requeueAt, nor Requeued=False, nor a refused admission delays the
    /// workload.
    bool back_off_expired(const WorkloadRecord& workload) const {
        return state_.has_back_off_ended(workload, now_);
    }
    FlavorResourceIndex intern_pair(std::string_view flavor, std::string_view resource);
    /// Returns the index of the flavor; a new name gets one. Names of flavors are never erased.
    FlavorIndex intern_flavor(std::string_view name);
    /// Returns the index of the resource and counts one use of it. The index stays valid until
    /// release_resource() was called once for each use.
    ResourceIndex use_resource(std::string_view name);
    void release_resource(ResourceIndex resource);

  private:
    NodeIndex intern_cluster_queue(std::string_view name);
    NodeIndex intern_cohort(std::string_view name);
    LocalQueueIndex intern_local_queue(std::string_view ns, std::string_view name);
    /// Erases the record and the name, unless the LocalQueue has an object or workloads name it.
    void forget_local_queue(LocalQueueIndex index);
    template <class PodSetRecords>
    void release_resources_of(const PodSetRecords& pod_sets);
    void release_pod_sets(PodSets& pod_sets);
    void resolve_groups(ClusterQueueRecord& of, const std::vector<ResourceGroup>& groups);
    std::vector<DeclaredQuota> declared_quotas(const std::vector<ResourceGroup>& groups);
    bool is_active(NodeIndex cluster_queue) const;
    NodeIndex declared_parent(NodeIndex node) const;
    std::uint64_t not_ready_holders_of(const ClusterQueueRecord& cluster_queue) const;
    /// Wakes the node's tree, and the tree of `left`, the cohort that was its parent before, if
    /// that is another tree.
    void wake_trees_of(NodeIndex node, NodeIndex left);
    void note_queue_change(WorkloadIndex workload);
    /// Makes the record empty so that another workload can use it.
    void clear_record(WorkloadIndex workload);
    bool has_undecided_preemptor(const ClusterQueueRecord& queue) const;
    void drop_preemptors(ClusterQueueRecord& of);
    void eviction_failed(WorkloadIndex victim);
    void wake_at(NodeIndex root, Time due);
    void wake_now(NodeIndex root);
    void wake_parked(NodeIndex cluster_queue);
    void requeue_all_of(LocalQueueIndex local_queue);
    void drop_all_of(LocalQueueIndex local_queue);
    /// Orders the waiting workloads again after the usage of LocalQueues changed.
    void reorder(ClusterQueueRecord& queue);
    /// Adds the ClusterQueue to the list of those with waiting workloads, or removes it.
    void list_heap(NodeIndex cluster_queue);

    // Admission fair sharing (KEP-4136).
    void begin_ledger(LocalQueueIndex index, const ConsumedResources& consumed);
    void end_ledger(LocalQueueIndex index);
    void sample_usage();
    void consume_charge(WorkloadIndex index);
    void drop_charge(WorkloadIndex index);
    /// Recomputes the usage by which the LocalQueue is ordered. Returns true if it changed, so that
    /// the caller has to reorder() the ClusterQueue.
    bool set_fair_usage(LocalQueueIndex index);
    /// Like set_fair_usage(), and reorders the ClusterQueue if necessary.
    void update_fair_usage(LocalQueueIndex index);
    /// Adds the usage of a holder to the admitted usage of its LocalQueue, or subtracts it, if
    /// admitted_usage_for() finds one.
    void add_to_admitted(WorkloadIndex index);
    void take_from_admitted(WorkloadIndex index);
    /// Returns the admitted usage of the holder's LocalQueue. Returns nullptr if the holder does
    /// not count there: it is not Admitted, or it holds quota of another ClusterQueue.
    Usages* admitted_usage_for(WorkloadIndex index);
    /// Recomputes the admitted usage after the LocalQueue moved to another ClusterQueue.
    void recount_admitted(LocalQueueIndex index);
    ResourceAmounts admitted_of(const LocalQueueRecord& local_queue) const;
    Billionths to_billionths(ResourceIndex resource, Amount amount) const;
    CowPtr<Holding> make_holding(const Workload& workload, const QuotaReservation& reservation);
    std::uint64_t class_of(const Workload& workload) const;
    void hold_decided(HeadOutcome& head);
    /// Copies the podSets into the record. Returns true if they differ from the former ones.
    bool take_pod_sets(WorkloadRecord& record, const Workload& workload);
    void move_to_local_queue(WorkloadIndex index, LocalQueueIndex local_queue);
    void update_holder(
        WorkloadIndex index, const Workload& workload, const QuotaReservation& reservation
    );
    void update_pending(WorkloadIndex index, const Workload& workload);
    bool is_later(const std::optional<Time>& time) const;
    /// Replaces the end of the back-off by `until`; nullopt removes the back-off.
    void set_back_off(WorkloadIndex index, BackOff back_off, const std::optional<Time>& until);
    WorkloadRecord& record(WorkloadIndex index) { return data_.workloads.write(index.at()); }
    ClusterQueueRecord& queue(NodeIndex index) { return data_.cluster_queues.write(index.at()); }

    const State& state_;
    StateData& data_;
    Time now_;
};

}  // namespace sluice::engine
