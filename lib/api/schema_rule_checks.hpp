#pragma once

#include "json/value.hpp"

#include <optional>
#include <string_view>

namespace sluice::api {

/// Whether a rule of schema_rules.hpp, given by its text, holds for the value it stands at. An
/// evaluation error counts as broken, as it does for the API server. Nothing for rules that compare
/// with the old object: on creation the API server skips them as well.
std::optional<bool> check_rule(std::string_view rule, const json::Value& self);

}  // namespace sluice::api
