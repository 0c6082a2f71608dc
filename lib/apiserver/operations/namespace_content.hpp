#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Gives a namespace what the controllers of a cluster give it: the service account `default`,
/// without which no pod is admitted, and the certificate of the server.
void furnish_namespace(State& state, const std::string& ns, Time now);
/// Brings these back when they were deleted or changed. `name`: of whatever was written or removed.
void restore_furniture(
    State& state, const Collection& collection, const ObjectName& name, Time now
);

}  // namespace sluice::apiserver
