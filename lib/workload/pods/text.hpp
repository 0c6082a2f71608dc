#pragma once

#include <string>
#include <string_view>

namespace sluice::workload {

/// Cut to what the API takes: condition messages 32768 bytes, event notes 1024; what was cut ends
/// in " ...".
std::string truncated_condition_message(std::string_view message);
std::string truncated_event_note(std::string_view note);

}  // namespace sluice::workload
