// The resources that a LocalQueue has consumed, for the status of admission fair sharing.
#pragma once

#include "api/kueue/local_queue.hpp"
#include "engine/state/state.hpp"
#include "kube/core/kind.hpp"

#include <optional>

namespace sluice::controller {

/// Returns the resources that a LocalQueue has consumed by the engine's account, as its status
/// shows them (KEP-4136). Returns nullopt without admission fair sharing, or if the engine does not
/// know the LocalQueue or has no account of it yet.
std::optional<api::AdmissionFairSharingStatus> consumed_by(
    const engine::State& state, const kube::ObjectKey& local_queue
);

}  // namespace sluice::controller
