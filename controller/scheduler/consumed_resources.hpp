#pragma once

#include "api/kueue/local_queue.hpp"
#include "engine/state/state.hpp"
#include "kube/core/kind.hpp"

#include <optional>

namespace sluice::controller {

/// What the engine says that a LocalQueue has consumed, as its status shows it (KEP-4136); none
/// without admission fair sharing, and for a LocalQueue that the engine does not know.
std::optional<api::AdmissionFairSharingStatus> consumed_by(
    const engine::State& state, const kube::ObjectKey& local_queue
);

}  // namespace sluice::controller
