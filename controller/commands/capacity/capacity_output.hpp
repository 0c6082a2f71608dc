// Prints the report of `sluice capacity`.
#pragma once

#include "workload/capacity/capacity_report.hpp"

#include <string>

namespace sluice::commands {

/// Each ends with a newline.
std::string to_table(const workload::CapacityReport& report);
std::string to_json(const workload::CapacityReport& report);
std::string to_yaml(const workload::CapacityReport& report);

}  // namespace sluice::commands
