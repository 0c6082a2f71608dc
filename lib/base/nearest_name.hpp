#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// The name that was probably meant by one that is not known: the one with the fewest letters
/// changed, added, left out or swapped with their neighbour, regardless of case; "" when none is
/// near, which is more than a third of the letters. Of equally near ones the first.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// `; did you mean "x"?` or "".
std::string suggest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace sluice
