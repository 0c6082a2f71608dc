#pragma once

#include "cel/expression.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The names that an expression may use, and their types. `scope` is what print_type needs.
struct Declarations {
    std::map<std::string, TypePtr, std::less<>> variables;
    std::string scope;
};

/// Gives every part its type and finds the function of every call. Faults are added, in the words
/// of the API server.
void check_expression(
    Expression& expression, const Declarations& declarations, std::vector<Fault>& faults
);

}  // namespace sluice::cel
