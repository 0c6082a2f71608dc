// The conditions of a namespace that is being deleted.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Writes into the conditions of a namespace that is being deleted what the deletion waits for, as
/// the namespace controller does.
void report_remaining_content(State& state, const std::string& ns, Time now);

}  // namespace sluice::apiserver
