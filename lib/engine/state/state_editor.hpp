#pragma once

#include "engine/state/cycle_decision.hpp"
#include "engine/state/state.hpp"
#include "engine/types/event.hpp"

#include <string_view>
#include <vector>

namespace sluice::engine {

/// The changes that events and cycles are made of. Internal to the engine.
class StateEditor {
  public:
    StateEditor(State& state, Time now) : state_(state), now_(now) {}

    // One a kind of event (engine.hpp).
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
    void step_clock(Duration by);

    /// Makes the state what the decision says. Requires: the decision was made of this state, which
    /// has not changed since.
    void commit(CycleDecision& decision);

    /// Works out trees that changed, and which ClusterQueues are active.
    void refresh();

    // Queues.
    /// What engine.hpp's function of this name gives.
    std::vector<WorkloadIndex> take_queue_changes();
    void push_to_heap(WorkloadIndex workload);
    void push_inadmissible(WorkloadIndex workload);
    void take_from_queue(WorkloadIndex workload);
    /// Puts a pending workload where it belongs: heap, parked, or nowhere.
    void enqueue(WorkloadIndex workload);
    /// Takes a workload out of the heap as if it were its head. Requires: it is in a heap.
    void pop(WorkloadIndex workload);
    /// A head that was not admitted goes where the decision says.
    void requeue(WorkloadIndex workload, RequeuedTo to);
    /// Parks every heap entry of that class and remembers it until its tree is woken.
    void park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class);
    /// `victims` go for it. If all their evictions are being written, and all of those fail, the
    /// preemptor before is it again.
    void set_preemptor(
        NodeIndex cluster_queue, WorkloadIndex workload, const std::vector<WorkloadIndex>& victims
    );
    void clear_preemptor(WorkloadIndex workload);
    /// Moves parked workloads of the whole tree to their heaps, now or at the end of the
    /// batch.
    void wake_tree_of(NodeIndex node);

    /// What a workload's end or less use of quota wakes: the tree of the ClusterQueue in which its
    /// LocalQueue would have it wait and, where that is another one or none, a second later the
    /// tree where quota came free. Both as far as they are valid.
    void wake_for(NodeIndex freed, NodeIndex queued_in);

    /// The workload's admission is assumed: what it will cost its LocalQueue counts at once.
    void charge_admission(WorkloadIndex workload);

    // Quota.
    void hold(WorkloadIndex workload, CowPtr<Holding> holding);
    void release(WorkloadIndex workload);

    NodeIndex cluster_queue_of(const WorkloadRecord& workload) const {
        return state_.cluster_queue_of(workload);
    }
    bool back_off_expired(const WorkloadRecord& workload) const {
        return state_.has_back_off_ended(workload, now_);
    }
    FlavorResourceIndex intern_pair(std::string_view flavor, std::string_view resource);
    FlavorIndex intern_flavor(std::string_view name);
    /// The index of the name, kept until release_resource() was called as often as this.
    ResourceIndex use_resource(std::string_view name);
    void release_resource(ResourceIndex resource);

  private:
    NodeIndex intern_cluster_queue(std::string_view name);
    NodeIndex intern_cohort(std::string_view name);
    LocalQueueIndex intern_local_queue(std::string_view ns, std::string_view name);
    /// Unless it has an object or workloads name it.
    void forget_local_queue(LocalQueueIndex index);
    template <class PodSetRecords>
    void release_resources_of(const PodSetRecords& pod_sets);
    void release_pod_sets(PodSets& pod_sets);
    void resolve_groups(ClusterQueueRecord& of, const std::vector<ResourceGroup>& groups);
    std::vector<DeclaredQuota> declared_quotas(const std::vector<ResourceGroup>& groups);
    bool is_active(NodeIndex cluster_queue) const;
    NodeIndex declared_parent(NodeIndex node) const;
    std::uint64_t not_ready_holders_of(const ClusterQueueRecord& cluster_queue) const;
    /// Wakes the node's tree and, where it is another one, the tree of the cohort that the node
    /// left.
    void wake_trees_of(NodeIndex node, NodeIndex left);
    void note_queue_change(WorkloadIndex workload);
    /// Empties the record for another workload.
    void clear_record(WorkloadIndex workload);
    bool has_undecided_preemptor(const ClusterQueueRecord& queue) const;
    void drop_preemptors(ClusterQueueRecord& of);
    void eviction_failed(WorkloadIndex victim);
    void wake_at(NodeIndex root, Time due);
    void wake_now(NodeIndex root);
    void wake_parked(NodeIndex cluster_queue);
    void requeue_all_of(LocalQueueIndex local_queue);
    void drop_all_of(LocalQueueIndex local_queue);
    /// Returns what the LocalQueue has used if the ClusterQueue orders by it, and 0 otherwise.
    double usage_in(const ClusterQueueRecord& queue, LocalQueueIndex local_queue) const;
    /// Orders the waiting workloads again after LocalQueues' usage changed.
    void reorder(ClusterQueueRecord& queue);
    /// Lists the ClusterQueue among those with waiting workloads, or takes it out.
    void list_heap(NodeIndex cluster_queue);

    // Admission fair sharing (KEP-4136).
    void begin_ledger(LocalQueueIndex index, const ConsumedResources& consumed);
    void end_ledger(LocalQueueIndex index);
    void sample_usage();
    void consume_charge(WorkloadIndex index);
    void drop_charge(WorkloadIndex index);
    /// Works out the LocalQueue's key. True: its ClusterQueue is to be put in order anew.
    bool set_fair_usage(LocalQueueIndex index);
    /// The same, and puts the ClusterQueue in order.
    void update_fair_usage(LocalQueueIndex index);
    /// Adds what an admitted holder uses to the usage of its LocalQueue, or takes it away.
    void add_to_admitted(WorkloadIndex index);
    void take_from_admitted(WorkloadIndex index);
    /// Where a holder counts as admitted usage of its LocalQueue; nullptr: nowhere.
    Usages* admitted_usage_for(WorkloadIndex index);
    /// Its ClusterQueue is another one now.
    void recount_admitted(LocalQueueIndex index);
    ResourceAmounts admitted_of(const LocalQueueRecord& local_queue) const;
    Billionths to_billionths(ResourceIndex resource, Amount amount) const;
    CowPtr<Holding> make_holding(const Workload& workload, const QuotaReservation& reservation);
    std::uint64_t class_of(const Workload& workload) const;
    void hold_decided(HeadOutcome& head);
    /// Whether they changed.
    bool take_pod_sets(WorkloadRecord& record, const Workload& workload);
    void move_to_local_queue(WorkloadIndex index, LocalQueueIndex local_queue);
    void update_holder(
        WorkloadIndex index, const Workload& workload, const QuotaReservation& reservation
    );
    void update_pending(WorkloadIndex index, const Workload& workload);
    bool is_later(const std::optional<Time>& time) const;
    /// Ends at `until`, and no more when it would have ended before; none: there is none.
    void set_back_off(WorkloadIndex index, BackOff back_off, const std::optional<Time>& until);
    WorkloadRecord& record(WorkloadIndex index) { return state_.workloads_.write(index.at()); }
    ClusterQueueRecord& queue(NodeIndex index) { return state_.cluster_queues_.write(index.at()); }

    State& state_;
    Time now_;
};

}  // namespace sluice::engine
