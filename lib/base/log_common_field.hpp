// Sets a key=value pair that ends every log line.
#pragma once

#include "base/log.hpp"

namespace sluice::log {

/// Ends each later line with the field, which replaces the field of an earlier call. Thread: may be
/// called from any. Requires: the key is a literal.
void set_common_field(const Field& field);

}  // namespace sluice::log
