// Values as Go's fmt package prints them, for messages that contain them.
#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Prints a value as Go's %v does: map[a:1 b:[x y]]. Some messages of the API server contain
/// objects in this form.
std::string go_text(const json::Value& value);

/// Prints a value as Go's %#v does, in the form of source code: map[string]interface {}{"a":1}.
std::string go_source(const json::Value& value);

/// Returns the text without whitespace at both ends, as Go's strings.TrimSpace does for ASCII.
std::string trimmed(std::string_view text);

/// Returns the type of a value as Go's %T prints it.
std::string_view go_type(const json::Value& value);

}  // namespace sluice::apiserver
