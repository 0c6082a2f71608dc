// Prints values and paths as the API server does in messages.
#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::cel {

/// Quotes a text with double quotes and Go's escapes.
std::string quote(std::string_view text);
/// Prints a scalar as the API server prints a bad value; lists and objects as compact JSON.
std::string print_bad_value(const json::Value& value);
/// Removes white space at both ends.
std::string_view trim(std::string_view text);
/// Appends a member to a path.
std::string child_path(std::string_view path, std::string_view name);

}  // namespace sluice::cel
