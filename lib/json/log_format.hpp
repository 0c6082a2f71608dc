// The format that writes log lines as JSON objects, as Kueue does.
#pragma once

#include "base/log.hpp"

namespace sluice::json {

/// Returns the format that writes a log line as a JSON object with the members that zap writes for
/// Kueue: `level`, `ts` and `msg`, then each pair as a string. If a pair has one of these three
/// names, `_` is appended to the name.
log::Format json_log_format();

}  // namespace sluice::json
