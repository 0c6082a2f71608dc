#pragma once

#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace sluice::workload {

/// Where a pending workload stands. Both positions count from 0.
struct PendingPlace {
    engine::WorkloadIndex workload;
    std::size_t in_cluster_queue = 0;
    std::size_t in_local_queue = 0;
};

/// Which places of a queue are wanted.
struct PendingPage {
    std::size_t offset = 0;
    std::size_t limit = 0;
};

/// The engine's order of what waits, with positions: workloads that are tried and parked ones
/// together. It is worked out at the first question and kept up to date from then on.
///
/// *Cost* of a question: the logarithm of what waits for each change since the last one, then for a
/// ClusterQueue the length of the page and the logarithm of what waits, for a LocalQueue that
/// logarithm for each place of the page. Under admission fair sharing the LocalQueues of the
/// ClusterQueue are added and, where some but not all have used exactly the same, the offset.
class PendingOrder {
  public:
    /// Lifetime: the state must outlive it and stay where it is. A state has one at most.
    explicit PendingOrder(engine::State& state);
    ~PendingOrder();
    PendingOrder(const PendingOrder&) = delete;
    PendingOrder& operator=(const PendingOrder&) = delete;

    /// In the order of the ClusterQueue; the page counts positions there.
    std::vector<PendingPlace> of_cluster_queue(
        engine::NodeIndex cluster_queue, const PendingPage& page
    );
    /// In the order of the LocalQueue; the page counts positions there.
    std::vector<PendingPlace> of_local_queue(
        engine::LocalQueueIndex local_queue, const PendingPage& page
    );

  private:
    class Index;
    std::unique_ptr<Index> index_;
};

}  // namespace sluice::workload
