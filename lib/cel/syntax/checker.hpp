#pragma once

#include "cel/syntax/expression.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

/// The names that an expression may use, and their types. `scope` is what print_type needs.
struct Declarations {
    std::map<std::string, TypePtr, std::less<>> variables;
    std::string scope;
    /// The type of objects that the expression may make, by its name. An object with fields, or any
    /// value (Dyn) of that name: then its fields may be anything, but for objects whose name is not
    /// the path to them. nullptr: there is no such type.
    std::function<TypePtr(std::string_view name)> find_object_type;
};

/// Gives every part its type and finds the function of every call. Faults are added, in the words
/// of the API server.
void check_expression(
    Expression& expression, const Declarations& declarations, std::vector<Fault>& faults
);

}  // namespace sluice::cel
