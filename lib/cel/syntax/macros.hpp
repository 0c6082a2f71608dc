#pragma once

#include "cel/syntax/expression.hpp"

#include <vector>

namespace sluice::cel {

/// Replaces a call by what it stands for, when it is that of a macro: has(), all(), exists() and
/// the like. Other calls stay as they are.
ExpressionPtr expand_macro(ExpressionPtr call, std::vector<Fault>& faults);

/// Parts of a tree, at that place of the source.
ExpressionPtr make_literal(std::size_t offset, Value value);
ExpressionPtr make_identifier(std::size_t offset, std::string_view name);
ExpressionPtr make_call(
    std::size_t offset, std::string_view name, std::vector<ExpressionPtr> arguments
);
/// Works out the depth of a part from those below it.
void measure(Expression& expression);

}  // namespace sluice::cel
