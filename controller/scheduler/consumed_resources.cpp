#include "controller/scheduler/consumed_resources.hpp"

#include <chrono>
#include <optional>

namespace sluice::controller {

std::optional<api::AdmissionFairSharingStatus> consumed_by(
    const engine::State& state, const kube::ObjectKey& local_queue
) {
    const auto index = state.find_local_queue(local_queue.ns + "/" + local_queue.name);
    if (!state.options().admission_fair_sharing || !index.is_valid()) {
        return std::nullopt;
    }
    const engine::UsageLedger& ledger = state.local_queue(index).ledger;
    const std::optional<Time> last_update = ledger.last_update();
    if (!last_update) {
        return std::nullopt;
    }
    api::AdmissionFairSharingStatus status;
    for (const auto& [resource, amount] : ledger.consumed()) {
        status.consumed_resources.emplace(resource, api::Quantity::from_billionths(amount));
    }
    status.last_update = std::chrono::floor<std::chrono::seconds>(*last_update);
    return status;
}

}  // namespace sluice::controller
