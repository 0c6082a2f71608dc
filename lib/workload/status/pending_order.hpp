// Positions of pending workloads in their queues, in the engine's order.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::workload {

/// The positions of a pending workload in its queues, counted from 0.
struct PendingPlace {
    engine::WorkloadIndex workload;
    std::size_t in_cluster_queue = 0;
    std::size_t in_local_queue = 0;
};

/// The place of a workload, with the lengths of its queues.
struct PlaceInQueues {
    PendingPlace place;
    std::size_t cluster_queue_size = 0;
    std::size_t local_queue_size = 0;
};

/// Selects the positions of a queue to return.
struct PendingPage {
    std::size_t offset = 0;
    std::size_t limit = 0;
};

/// The engine's order of pending workloads, with positions. Workloads that the scheduler tries and
/// parked workloads are in one order. It is computed on the first query and updated on later ones.
///
/// *Cost* of a query, with n pending workloads: log(n) for each change since the last query. Then
/// the length of the page plus log(n) for a ClusterQueue, or log(n) for each place of the page for
/// a LocalQueue. Admission fair sharing adds the number of LocalQueues of the ClusterQueue and, if
/// some but not all of them have the same usage, the page's offset.
class PendingOrder {
  public:
    /// *Lifetime*: the state must outlive this object and must not move. A state has at most one
    /// PendingOrder.
    explicit PendingOrder(engine::State& state);
    ~PendingOrder();
    PendingOrder(const PendingOrder&) = delete;
    PendingOrder& operator=(const PendingOrder&) = delete;

    /// Returns places in the order of the ClusterQueue; the page counts positions there.
    std::vector<PendingPlace> of_cluster_queue(
        engine::NodeIndex cluster_queue, const PendingPage& page
    );
    /// Returns places in the order of the LocalQueue; the page counts positions there.
    std::vector<PendingPlace> of_local_queue(
        engine::LocalQueueIndex local_queue, const PendingPage& page
    );
    /// Returns the place of the workload; nullopt if it is not pending.
    std::optional<PlaceInQueues> find(engine::WorkloadIndex workload);

  private:
    class Index;
    std::unique_ptr<Index> index_;
};

}  // namespace sluice::workload
