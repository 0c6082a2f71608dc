// Looks up the pending workloads of a queue and prints them as a PendingWorkloadsSummary.
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

/// A pending workload and its positions in its queues, counted from 0.
struct PendingRow {
    std::shared_ptr<const api::Workload> workload;
    std::int32_t in_cluster_queue = 0;
    std::int32_t in_local_queue = 0;
};
using PendingRows = std::vector<PendingRow>;

/// Finds the pending workloads of queues, in the engine's order. Thread: that of the stores and the
/// state.
class PendingWorkloads {
  public:
    /// Lifetime: `stores` and `state` must outlive this object; `state` must not be moved.
    PendingWorkloads(const Stores& stores, engine::State& state) : stores_(stores), state_(state) {}

    /// Returns the rows of a page in the order of the queue; nullopt if the queue does not exist.
    std::optional<PendingRows> find(const VisibilityPath& queue, const workload::PendingPage& page);
    /// Returns the place of the workload; nullopt if it is not pending.
    std::optional<workload::PlaceInQueues> find_place(engine::WorkloadIndex workload);

  private:
    workload::PendingOrder& order();

    const Stores& stores_;
    engine::State& state_;
    std::optional<workload::PendingOrder> order_;  ///< set by the first call of find()
};

/// Returns the rows as JSON: a PendingWorkloadsSummary in that version of the API.
std::string print_summary(const PendingRows& rows, std::string_view version);

}  // namespace sluice::controller
