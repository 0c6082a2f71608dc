// Changes which workloads hold quota.
#pragma once

#include "base/cow.hpp"
#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/cycle_decision.hpp"
#include "engine/state/editor.hpp"
#include "engine/state/ledgers_editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/state/topologies_editor.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>

namespace sluice::engine {

/// Begins, changes and ends holders. All that depends on holders follows here: the usage of the
/// quota tree and of topologies, second passes, the number of holders whose pods are not ready, and
/// the ledgers of LocalQueues. Callers wake the workloads that wait for quota that becomes free.
class HoldersEditor : private Editor {
  public:
    HoldersEditor(State& state, Time now)
        : Editor(state, now), queues_(state, now), ledgers_(state, now), topologies_(state, now) {}

    /// Makes the workload a holder, which waits in no queue. Requires: the workload does not hold
    /// quota.
    void begin(WorkloadIndex workload, CowPtr<Holding> holding);
    /// Makes a head the holder of the quota that a cycle gave it, and charges its LocalQueue.
    void begin_assumed(HeadOutcome& head);
    /// Ends the holder and returns the ClusterQueue whose quota it used. Returns an invalid index
    /// if the workload does not hold quota.
    NodeIndex end(WorkloadIndex workload);
    /// Ends a holder whose admission the API refused, and returns the ClusterQueue whose quota it
    /// used.
    NodeIndex end_refused(WorkloadIndex workload);

    /// Takes the holder's pods that have nodes.
    void set_running(WorkloadIndex holder, const std::vector<RunningPods>& running) {
        topologies_.set_running(holder, running);
    }
    /// Notes the room that the holder gives back when it is replaced by `after`.
    void note_eased(WorkloadIndex holder, const std::vector<HeldNodes>& after);
    /// Notes the room that the holder has given back since its pods had room on `before`.
    void note_eased_since(WorkloadIndex holder, const std::vector<HeldNodes>& before);
    /// Finds the nodes of all holders again, after another flavor enforces capacity, or none.
    void count_nodes_again();

    /// Records that the holder's status became Admitted.
    void was_admitted(WorkloadIndex holder) { ledgers_.consume(holder); }
    /// Records that the workload ended.
    void has_finished(WorkloadIndex workload) { ledgers_.drop(workload); }
    /// Records that a cycle evicts the holder.
    void evict(WorkloadIndex holder);
    /// Takes back evict(), because the API refused it.
    void eviction_failed(WorkloadIndex holder);

    /// Takes what a cycle decided on the topology of a holder. Without one it is a head again after
    /// a delay.
    void settle_second_pass(SecondPassOutcome& outcome);
    /// Takes back the topology that a cycle assigned to a holder, because the API refused it.
    /// Returns false if no cycle did. `refusals`: consecutive ones before this.
    bool second_pass_refused(WorkloadIndex holder, std::uint8_t refusals);
    /// Takes the turn that the holder had before it changed, if it still needs one.
    void keep_second_pass(WorkloadIndex holder, const SecondPassTurn& turn);
    /// Moves second passes after the wall clock was set.
    void step_clock(Duration by);

    /// Ends what the workload is to its LocalQueue: pending, charged for, or counted as a holder.
    void leave_local_queue(WorkloadIndex workload);
    /// Counts the workload in its new LocalQueue if it holds quota.
    void join_local_queue(WorkloadIndex workload);
    /// Counts the holders of a ClusterQueue whose object was created.
    void begin_cluster_queue(NodeIndex cluster_queue);
    /// Stops counting the holders of a ClusterQueue whose object was deleted.
    void end_cluster_queue(NodeIndex cluster_queue);

  private:
    /// Makes the nodes that the holder's pods have or need, in flavors that enforce capacity.
    void take_nodes(WorkloadIndex holder);
    void begin_second_pass(WorkloadIndex holder);
    void end_second_pass(WorkloadIndex holder);
    void retry_second_pass(WorkloadIndex holder);
    void replace_placement(WorkloadIndex holder, CowPtr<HeldPlacement> placement);
    Duration second_pass_delay(std::uint32_t attempt) const;
    void remove_usage(const ClusterQueueRecord& from, const Holding& holding);
    std::uint64_t not_ready_holders_of(NodeIndex cluster_queue) const;

    QueuesEditor queues_;
    LedgersEditor ledgers_;
    TopologiesEditor topologies_;
};

}  // namespace sluice::engine
