#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/visibility/request_path.hpp"
#include "engine/state/state.hpp"
#include "workload/status/pending_order.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// A workload that waits, and where.
struct PendingRow {
    std::shared_ptr<const api::Workload> workload;
    std::int32_t in_cluster_queue = 0;
    std::int32_t in_local_queue = 0;
};
using PendingRows = std::vector<PendingRow>;

/// What waits in queues, for those who ask; answers are worked out from the order of the engine.
/// Thread: that of the stores and the state.
class PendingWorkloads {
  public:
    /// Lifetime: both must outlive it; the state stays where it is.
    PendingWorkloads(const Stores& stores, engine::State& state) : stores_(stores), state_(state) {}

    /// The rows of a page, in the order of the queue. None: there is no such queue.
    std::optional<PendingRows> find(const VisibilityPath& queue, const workload::PendingPage& page);

  private:
    const Stores& stores_;
    engine::State& state_;
    std::optional<workload::PendingOrder> order_;  ///< from the first question on
};

/// PendingWorkloadsSummary as JSON, of that version of the API.
std::string print_summary(const PendingRows& rows, std::string_view version);

}  // namespace sluice::controller
