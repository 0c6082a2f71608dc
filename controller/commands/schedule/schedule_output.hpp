// Prints the report of `sluice schedule` as JSON, YAML or tables.
#pragma once

#include "controller/commands/schedule/schedule_report.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Returns one JSON document with sorted keys and empty lists; it ends in a newline.
std::string to_json(const ScheduleReport& report);
/// Returns the content of to_json() as YAML.
std::string to_yaml(const ScheduleReport& report);
/// Returns the report for people: one table per cycle with aligned columns, then the workloads that
/// no cycle mentions, each with the reason why it waits.
std::string to_table(const ScheduleReport& report);
/// Returns those workloads and reasons as short notes: JSON and YAML have no field for them.
std::vector<std::string> waiting_notes(const ScheduleReport& report);

}  // namespace sluice::commands
