// Log lines about admissions, evictions and preemptions.
#pragma once

#include "base/log.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string_view>
#include <vector>

namespace sluice::controller {

/// Message and fields of one log line.
struct LogLine {
    std::string_view phrase;
    std::vector<log::Field> fields;
};

/// Returns the log lines for an accepted write: one for a quota reservation, one for an admission
/// (only this one if both happen at once), and one for an eviction or preemption.
std::vector<LogLine> decision_lines(const Write& write);

}  // namespace sluice::controller
