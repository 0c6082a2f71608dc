#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::sim {

/// What a condition is to say.
struct ConditionText {
    std::string_view type;
    bool status = true;
    std::string_view reason;
    std::string_view message;
    bool is_unknown = false;  ///< the status is neither
};

/// The conditions of an object's status.
json::Array conditions_of(const json::Value& object);
/// Sets a condition in a list. Its lastTransitionTime moves when its status does.
void set_condition(json::Array& conditions, const ConditionText& wanted, Time now);
/// The same, but one that is not there is not set to False.
void unset_condition(json::Array& conditions, const ConditionText& wanted, Time now);

}  // namespace sluice::sim
