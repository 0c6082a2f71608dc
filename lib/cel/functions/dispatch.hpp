#pragma once

#include "cel/syntax/overload.hpp"

#include <span>
#include <string_view>

namespace sluice::cel {

/// Whether the values are of the types that the signature names.
bool fits(const Overload& overload, std::span<const Value> arguments);

/// The first signature of a function that the values fit; nullptr when there is none.
const Overload* find_fitting(
    std::string_view function, bool is_member, std::span<const Value> arguments
);

/// The failure of a call that fits no signature: it names the function and the types.
Value refuse_call(std::string_view function, std::span<const Value> arguments);

}  // namespace sluice::cel
