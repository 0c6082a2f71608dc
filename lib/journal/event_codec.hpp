// Writes events of the engine as JSON and reads them back.
#pragma once

#include "base/error.hpp"
#include "engine/types/event.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::journal {

/// Appends the event as JSON: an object with one member, its name. Fields with their default are
/// left out; times and durations are nanoseconds, amounts are in base units, enumerations are
/// numbers, and numbers that may exceed 63 bits are strings.
void append_event(const engine::Event& event, std::string& out);

/// Reads an event. Unknown fields are ignored. Errors: Invalid, with the field.
Result<engine::Event> read_event(const json::Value& value);

}  // namespace sluice::journal
