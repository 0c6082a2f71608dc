// Finds the overload of a function for the values of a call.
#pragma once

#include "cel/syntax/overload.hpp"

#include <span>
#include <string_view>

namespace sluice::cel {

/// Returns true if the values have the types of the signature.
bool fits(const Overload& overload, std::span<const Value> arguments);

/// Returns the first overload that fits the values. If none fits, returns an overload with as many
/// parameters that checks its values itself (Guard::Own); nullptr without one.
const Overload* find_fitting(
    std::string_view function, bool is_member, std::span<const Value> arguments
);

/// Returns the failure of a call that fits no signature; it names the function and the types.
Value refuse_call(std::string_view function, std::span<const Value> arguments);

}  // namespace sluice::cel
