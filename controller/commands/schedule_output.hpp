#pragma once

#include "controller/commands/schedule_report.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// One JSON document, keys sorted, empty lists printed; ends in a newline.
std::string to_json(const ScheduleReport& report);
/// The same as YAML.
std::string to_yaml(const ScheduleReport& report);
/// The same for people: one block a cycle, columns aligned. Then also why those wait of whom no
/// cycle speaks.
std::string to_table(const ScheduleReport& report);
/// That in short, for beside the forms that have no place for it.
std::vector<std::string> waiting_notes(const ScheduleReport& report);

}  // namespace sluice::commands
