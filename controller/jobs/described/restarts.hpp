// Says whether a JobSet may still restart.
#pragma once

#include "json/value.hpp"

namespace sluice::controller {

/// Returns true if the failure of one of its Jobs may still restart the whole JobSet, including the
/// Jobs that have succeeded. `status`: the status of the JobSet; nullptr if unknown: then it counts
/// as never restarted.
bool may_restart(const json::Value& spec, const json::Value* status);

}  // namespace sluice::controller
