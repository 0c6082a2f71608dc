#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// A value as Go's %v prints it, in which some messages of the API server hold objects:
/// map[a:1 b:[x y]].
std::string go_text(const json::Value& value);

/// A value as Go's %#v prints it, the form of its source: map[string]interface {}{"a":1}.
std::string go_source(const json::Value& value);

/// The text without blanks at its ends, as Go's strings.TrimSpace leaves it of ASCII.
std::string trimmed(std::string_view text);

/// The type of a value as Go's %T prints it.
std::string_view go_type(const json::Value& value);

}  // namespace sluice::apiserver
