// Sets conditions in a status.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::sim {

/// The content of a condition.
struct ConditionText {
    std::string_view type;
    bool status = true;
    std::string_view reason;
    std::string_view message;
    bool is_unknown = false;  ///< the status is Unknown
};

/// Returns the conditions of an object's status.
json::Array conditions_of(const json::Value& object);
/// Sets a condition in a list. Its lastTransitionTime changes only with its status.
void set_condition(json::Array& conditions, const ConditionText& wanted, Time now);
/// Sets a condition like set_condition(), but does not add an absent condition with status False.
void unset_condition(json::Array& conditions, const ConditionText& wanted, Time now);

}  // namespace sluice::sim
