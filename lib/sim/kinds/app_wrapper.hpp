#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the controller of AppWrappers: it makes what its components say while it is not
/// suspended, and is over when all of these are.
Outcome reconcile_app_wrapper(const Turn& turn);

}  // namespace sluice::sim
