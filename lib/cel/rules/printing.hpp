#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::cel {

/// Text in double quotes with the escapes of Go.
std::string quote(std::string_view text);
/// A scalar as the API server prints a bad value; compact JSON for lists and objects.
std::string print_bad_value(const json::Value& value);
/// Text without white space at both ends.
std::string_view trim(std::string_view text);
/// A path with a member below it.
std::string child_path(std::string_view path, std::string_view name);

}  // namespace sluice::cel
