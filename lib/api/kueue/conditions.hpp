// Finds and sets conditions of objects.
#pragma once

#include "api/meta/meta.hpp"

#include <string_view>
#include <vector>

namespace sluice::api {

/// Returns the condition of that type; nullptr if it is absent.
const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);

/// Returns true if there is a condition of that type with status True.
bool is_true(const std::vector<Condition>& conditions, std::string_view type);

/// Adds the condition, or replaces the one of its type. The old transition time is kept if the
/// status does not change. Returns true if anything changed.
bool set_condition(std::vector<Condition>& conditions, Condition condition);

}  // namespace sluice::api
