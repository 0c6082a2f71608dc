// The tree of a CEL expression, and the faults found in it.
#pragma once

#include "cel/values/type.hpp"
#include "cel/values/value.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cel {

struct Expression;
struct Overload;
using ExpressionPtr = std::unique_ptr<Expression>;

/// The expansion of a macro over a list or map: a loop that updates a result.
struct Fold {
    ExpressionPtr range;
    std::string variable;
    std::string second_variable;  ///< "" if the macro binds one name
    ExpressionPtr initial;
    ExpressionPtr condition;
    ExpressionPtr step;
    ExpressionPtr result;
};

/// The name of a fold's result, which expressions cannot write.
inline constexpr std::string_view kAccumulator = "@result";

/// A part of an expression, as a tree.
struct Expression {
    enum class Node : std::uint8_t {
        Literal,
        Identifier,
        Select,  ///< target.name, or has(target.name)
        Call,    ///< name(arguments), or target.name(arguments)
        List,    ///< arguments are the items
        /// arguments alternate keys and values; an object literal has the name of its type
        Map,
        Fold,
        OptionalMap,  ///< target.optMap(name, arguments[0]); is_test: optFlatMap
    };

    Node node = Node::Literal;
    std::size_t offset = 0;  ///< byte position for errors
    int depth = 1;           ///< length of the longest path to a leaf
    Value literal;
    std::string name;
    ExpressionPtr target;
    std::vector<ExpressionPtr> arguments;
    std::vector<bool> is_optional;  ///< for a list or map: the items or entries with a `?`
    bool is_test = false;
    std::unique_ptr<Fold> fold;

    // Set by the checker.
    TypePtr type;
    std::vector<const Overload*> overloads;  ///< for a call: those that the types leave open

    /// Returns the overload if the types leave only one, else nullptr.
    const Overload* only_overload() const { return overloads.size() == 1 ? overloads[0] : nullptr; }
};

/// Calls `visit` with each direct part of the expression; the part is const if the expression is.
template <class E, class F>
void for_each_part(E& e, F visit) {
    if (e.target != nullptr) {
        visit(*e.target);
    }
    for (const auto& part : e.arguments) {
        visit(*part);
    }
    if (e.fold != nullptr) {
        const Fold& fold = *e.fold;
        for (const ExpressionPtr* part :
             {&fold.range, &fold.initial, &fold.condition, &fold.step, &fold.result}) {
            visit(**part);
        }
    }
}

/// A fault of an expression and its byte position.
struct Fault {
    std::size_t offset = 0;
    std::string text;
};

/// Returns the length of the first code point in bytes; 1 if the text is not valid UTF-8.
std::size_t character_length(std::string_view text);

/// Prints the faults as the API server does: each with its line and a mark below it.
std::string print_faults(std::string_view source, std::vector<Fault> faults);

}  // namespace sluice::cel
