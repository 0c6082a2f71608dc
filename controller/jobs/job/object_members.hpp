// Access to members of a JSON object that are created if they are missing.
#pragma once

#include "json/value.hpp"

#include <initializer_list>
#include <string_view>

namespace sluice::controller {

/// Returns the member at a path; creates missing members on the way as objects.
json::Value& object_at(json::Value& value, std::initializer_list<std::string_view> path);

/// Returns the list of that name; creates it if it is missing.
json::Value& list_at(json::Value& value, std::string_view name);

}  // namespace sluice::controller
