#pragma once

#include "base/log.hpp"

namespace sluice::json {

/// Log lines as JSON objects with the members that zap writes for Kueue: `level`, `ts` and `msg`,
/// then each pair as a string. A pair of one of these three names is written with `_` after it.
log::Format json_log_format();

}  // namespace sluice::json
