#pragma once

#include "controller/commands/schedule/schedule_report.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// One JSON document, keys sorted, empty lists printed; ends in a newline.
std::string to_json(const ScheduleReport& report);
/// The same as YAML.
std::string to_yaml(const ScheduleReport& report);
/// The same for people: one block a cycle, columns aligned. Then the workloads that no cycle names,
/// with the reason why each waits.
std::string to_table(const ScheduleReport& report);
/// Those workloads and reasons in short, for JSON and YAML, which have no place for them.
std::vector<std::string> waiting_notes(const ScheduleReport& report);

}  // namespace sluice::commands
