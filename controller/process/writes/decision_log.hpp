#pragma once

#include "base/log.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <string_view>
#include <vector>

namespace sluice::controller {

/// One line of the log.
struct LogLine {
    std::string_view phrase;
    std::vector<log::Field> fields;
};

/// What operators read about an accepted write: one line for a reservation of quota, for an
/// admission (which says both when they come at once) and for an eviction or preemption.
std::vector<LogLine> decision_lines(const Write& write);

}  // namespace sluice::controller
