// The simulated controller of AppWrappers.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the AppWrapper controller. It creates the objects of the
/// components unless the AppWrapper is suspended. The AppWrapper finishes when all of these have
/// finished.
Outcome reconcile_app_wrapper(const Turn& turn);

}  // namespace sluice::sim
