#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// Whether a rule holds for the value it stands at. An evaluation error counts as broken, as it
/// does for the API server.
using RuleCheck = bool (*)(const json::Value& self);

/// What evaluates a rule of schema_rules.hpp, given by its text; nullptr for rules that compare
/// with the old object: on creation the API server skips them as well.
RuleCheck find_rule_check(std::string_view rule);

}  // namespace sluice::api
