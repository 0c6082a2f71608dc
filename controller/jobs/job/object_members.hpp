#pragma once

#include "json/value.hpp"

#include <initializer_list>
#include <string_view>

namespace sluice::controller {

/// The member at a path, made as objects where it is missing.
json::Value& object_at(json::Value& value, std::initializer_list<std::string_view> path);

/// The list of that name, made where it is missing.
json::Value& list_at(json::Value& value, std::string_view name);

}  // namespace sluice::controller
