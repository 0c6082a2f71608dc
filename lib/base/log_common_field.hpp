#pragma once

#include "base/log.hpp"

namespace sluice::log {

/// Each line from now on ends with the field, in place of the one that was set before.
/// Thread: may be called from any. Requires: the key is a literal.
void set_common_field(const Field& field);

}  // namespace sluice::log
