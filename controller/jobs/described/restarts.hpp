#pragma once

#include "json/value.hpp"

namespace sluice::controller {

/// Returns true if the failure of one of its Jobs may still restart a whole JobSet, with the Jobs
/// that have succeeded. `status`: of the JobSet; nullptr: not known, as if it had never restarted.
bool may_restart(const json::Value& spec, const json::Value* status);

}  // namespace sluice::controller
