// Changes the queues of pending workloads.
#pragma once

#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/editor.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <vector>

namespace sluice::engine {

/// Moves pending workloads between the heap of their ClusterQueue (waiting), its parked workloads
/// and flight (a cycle is trying the workload), and keeps the preemptor of each ClusterQueue.
class QueuesEditor : private Editor {
  public:
    QueuesEditor(State& state, Time now) : Editor(state, now) {}

    /// Implements take_queue_changes() of engine.hpp.
    std::vector<WorkloadIndex> take_changes();

    /// Adds a workload to the heap of its ClusterQueue, whatever its back-off. Requires: the
    /// workload is not queued, and State::cluster_queue_of() returns a ClusterQueue.
    void push(WorkloadIndex workload);
    /// Parks a workload in its ClusterQueue. Requires: as for push().
    void park(WorkloadIndex workload);
    /// Queues a pending workload: parks it if it is in back-off or its scheduling class is parked,
    /// else adds it to the heap. Does nothing if State::cluster_queue_of() returns an invalid
    /// index.
    void enqueue(WorkloadIndex workload);
    /// Removes a workload from its queue, or from flight if a cycle is trying it. Does nothing if
    /// the workload is not queued.
    void take(WorkloadIndex workload);
    /// Removes a workload that no longer waits for quota in its ClusterQueue: like take(), and the
    /// ClusterQueue loses it as its preemptor.
    void leave(WorkloadIndex workload);

    /// Takes a workload out of the heap as if it were its head. Requires: it is in a heap.
    void pop(WorkloadIndex workload);
    /// Puts a head that was not admitted where the decision says.
    void requeue(WorkloadIndex workload, RequeuedTo to);

    /// Adds the workloads of a LocalQueue that may queue to the heap, whatever their back-off. Does
    /// nothing while the LocalQueue or its ClusterQueue accepts none.
    void open(LocalQueueIndex local_queue);
    /// Removes the workloads of a LocalQueue from its ClusterQueue.
    void close(LocalQueueIndex local_queue);

    /// Parks every heap entry of that class and remembers it until wake().
    void park_class(NodeIndex cluster_queue, std::uint64_t scheduling_class);
    /// Moves the parked workloads to the heap, except those in back-off.
    void wake(NodeIndex cluster_queue);
    /// Orders the waiting workloads again after the usage of LocalQueues changed.
    void reorder(NodeIndex cluster_queue);

    /// Records that `victims` are being evicted for the workload. If all their evictions are still
    /// being written and every one of those writes fails, the former preemptor is restored.
    void set_preemptor(
        NodeIndex cluster_queue, WorkloadIndex workload, const std::vector<WorkloadIndex>& victims
    );
    /// Removes the preemptor and the former preemptor of a ClusterQueue.
    void drop_preemptors(NodeIndex cluster_queue);
    /// Restores each former preemptor that has waited for the failure of this eviction.
    void eviction_failed(WorkloadIndex victim);

  private:
    void note_change(WorkloadIndex workload);
    /// Adds the ClusterQueue to the list of those with waiting workloads, or removes it.
    void list_heap(NodeIndex cluster_queue);
    /// Removes the workload as the preemptor, and as the former preemptor, of its ClusterQueue.
    /// Requires: the workload is not in the heap.
    void clear_preemptor(WorkloadIndex workload);
    bool has_undecided_preemptor(const ClusterQueueRecord& queue) const;
};

}  // namespace sluice::engine
