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

/// What the macros over lists and maps become: a loop that carries a result along.
struct Fold {
    ExpressionPtr range;
    std::string variable;
    std::string second_variable;  ///< "" unless key and value are named
    ExpressionPtr initial;
    ExpressionPtr condition;
    ExpressionPtr step;
    ExpressionPtr result;
};

/// The name of the result that a fold carries along; no name that an expression can write.
inline constexpr std::string_view kAccumulator = "@result";

/// One part of an expression as a tree.
struct Expression {
    enum class Node : std::uint8_t {
        Literal,
        Identifier,
        Select,  ///< target.name, or has(target.name)
        Call,    ///< name(arguments), or target.name(arguments)
        List,    ///< arguments are the items
        /// arguments are keys and values in turn; an object of a named type has that name
        Map,
        Fold,
        OptionalMap,  ///< target.optMap(name, arguments[0]); is_test: optFlatMap
    };

    Node node = Node::Literal;
    std::size_t offset = 0;  ///< where an error about it points, in bytes
    int depth = 1;           ///< the longest path down to a leaf
    Value literal;
    std::string name;
    ExpressionPtr target;
    std::vector<ExpressionPtr> arguments;
    std::vector<bool> is_optional;  ///< of a list or map: which items or entries have a `?`
    bool is_test = false;
    std::unique_ptr<Fold> fold;

    // What checking finds out.
    TypePtr type;
    std::vector<const Overload*> overloads;  ///< of a call: those that the types leave open

    /// The overload, when the types leave no other.
    const Overload* only_overload() const { return overloads.size() == 1 ? overloads[0] : nullptr; }
};

/// Calls `visit` with each part that the expression has, which is as const as the expression.
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

/// A fault of an expression and the byte where it is.
struct Fault {
    std::size_t offset = 0;
    std::string text;
};

/// The bytes of the code point that the text begins with; 1 for what is no UTF-8.
std::size_t character_length(std::string_view text);

/// The faults in the form of the API server: each with its line and a mark below it.
std::string print_faults(std::string_view source, std::vector<Fault> faults);

}  // namespace sluice::cel
