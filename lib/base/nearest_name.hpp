// Suggests the known name that is closest to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// Returns the known name that needs the fewest edits to become `name`. An edit changes, adds or
/// removes a letter, or swaps two neighbors; case is ignored. Returns the first of several equally
/// close names; "" if every name needs more edits than a third of `name`'s letters (but one edit is
/// always allowed).
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// Returns `; did you mean "x"?`, or "" if no known name is close.
std::string suggest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace sluice
