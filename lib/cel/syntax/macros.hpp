// Expands macros such as has(), all() and exists().
#pragma once

#include "cel/syntax/expression.hpp"

#include <vector>

namespace sluice::cel {

/// Expands a call if it calls a macro: has(), all(), exists() and the like. Returns other calls
/// unchanged.
ExpressionPtr expand_macro(ExpressionPtr call, std::vector<Fault>& faults);

/// Makes a part of a tree with this position in the source.
ExpressionPtr make_literal(std::size_t offset, Value value);
ExpressionPtr make_identifier(std::size_t offset, std::string_view name);
ExpressionPtr make_call(
    std::size_t offset, std::string_view name, std::vector<ExpressionPtr> arguments
);
/// Sets the depth of a part from the parts below it.
void measure(Expression& expression);

}  // namespace sluice::cel
