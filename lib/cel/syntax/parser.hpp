#pragma once

#include "cel/syntax/expression.hpp"

#include <string_view>
#include <vector>

namespace sluice::cel {

/// How deep an expression may be nested, and how many characters it may have.
inline constexpr int kMaxDepth = 250;
inline constexpr std::int64_t kMaxLength = 100'000;

/// Reads an expression and expands its macros; nullptr when there are faults.
ExpressionPtr parse_expression(std::string_view source, std::vector<Fault>& faults);

}  // namespace sluice::cel
