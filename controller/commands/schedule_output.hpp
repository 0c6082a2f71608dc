#pragma once

#include "controller/commands/schedule_report.hpp"

#include <string>

namespace sluice::commands {

/// One JSON document, keys sorted, empty lists printed; ends in a newline.
std::string to_json(const ScheduleReport& report);
/// The same as YAML.
std::string to_yaml(const ScheduleReport& report);
/// The same for people: one block a cycle, columns aligned.
std::string to_table(const ScheduleReport& report);

}  // namespace sluice::commands
