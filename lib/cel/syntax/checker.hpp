// Finds the type of each part of an expression, and the overloads of its calls.
#pragma once

#include "cel/syntax/expression.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The variables that an expression may use, with their types. `scope` is for print_type().
struct Declarations {
    std::map<std::string, TypePtr, std::less<>> variables;
    std::string scope;
    /// Returns the type of an object literal by its name; nullptr if the type does not exist. It is
    /// an object type with fields, or Dyn with that name: the fields may then have any type, except
    /// that an object literal in a field must be named by its path.
    std::function<TypePtr(std::string_view name)> find_object_type;
};

/// Sets the type of every part and the overloads of every call. Adds faults with the messages of
/// the API server.
void check_expression(
    Expression& expression, const Declarations& declarations, std::vector<Fault>& faults
);

}  // namespace sluice::cel
