// Cuts condition messages and event notes to the length that the API accepts.
#pragma once

#include <string>
#include <string_view>

namespace sluice::workload {

/// Cut a text to the length that the API accepts: 32768 bytes for condition messages, 1024 for
/// event notes. A text that was cut ends in " ...".
std::string truncated_condition_message(std::string_view message);
std::string truncated_event_note(std::string_view note);

}  // namespace sluice::workload
