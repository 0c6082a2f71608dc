// Parses the text of an expression into a tree.
#pragma once

#include "cel/syntax/expression.hpp"

#include <string_view>
#include <vector>

namespace sluice::cel {

/// Limits of an expression: its nesting, and its length in characters.
inline constexpr int kMaxDepth = 250;
inline constexpr std::int64_t kMaxLength = 100'000;

/// Parses an expression and expands its macros. Returns nullptr if it has faults.
ExpressionPtr parse_expression(std::string_view source, std::vector<Fault>& faults);

}  // namespace sluice::cel
