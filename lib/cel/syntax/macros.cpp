#include "cel/syntax/macros.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::cel {
namespace {

using Node = Expression::Node;

template <class... T>
std::vector<ExpressionPtr> parts(T... each) {
    std::vector<ExpressionPtr> result;
    (result.push_back(std::move(each)), ...);
    return result;
}

/// A macro call that is being expanded into a fold.
struct MacroCall {
    ExpressionPtr call;
    std::vector<Fault>& faults;
    std::size_t variables = 1;  ///< how many arguments are names

    std::size_t offset() const { return call->offset; }
    std::size_t count() const { return call->arguments.size(); }
    ExpressionPtr take(std::size_t index) { return std::move(call->arguments[index]); }
    ExpressionPtr result() const { return make_identifier(offset(), kAccumulator); }
    ExpressionPtr literal(Value value) const { return make_literal(offset(), std::move(value)); }
    ExpressionPtr operation(std::string_view name, std::vector<ExpressionPtr> arguments) const {
        return make_call(offset(), name, std::move(arguments));
    }
    ExpressionPtr collection(Node node, ExpressionPtr item) const {
        auto list = std::make_unique<Expression>();
        list->node = node;
        list->offset = offset();
        if (item != nullptr) {
            list->arguments.push_back(std::move(item));
            list->is_optional.push_back(false);
        }
        measure(*list);
        return list;
    }
};

/// Returns the names that a macro binds; empty after a fault.
std::vector<std::string> read_variables(MacroCall& macro, std::string_view complaint) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < macro.variables; ++i) {
        const Expression& argument = *macro.call->arguments[i];
        if (argument.node != Node::Identifier) {
            macro.faults.push_back({argument.offset, std::string(complaint)});
            return {};
        }
        if (argument.name == "__result__") {
            macro.faults.push_back(
                {argument.offset, "iteration variable overwrites accumulator variable"}
            );
            return {};
        }
        names.push_back(argument.name);
    }
    if (names.size() == 2 && names[0] == names[1]) {
        macro.faults.push_back(
            {macro.call->arguments[1]->offset, "duplicate variable name: " + names[0]}
        );
        return {};
    }
    return names;
}

ExpressionPtr make_fold(
    MacroCall& macro,
    std::vector<std::string> names,
    ExpressionPtr initial,
    ExpressionPtr condition,
    ExpressionPtr step,
    ExpressionPtr result
) {
    auto fold = std::make_unique<Fold>();
    fold->range = std::move(macro.call->target);
    fold->variable = std::move(names[0]);
    fold->second_variable = names.size() > 1 ? std::move(names[1]) : "";
    fold->initial = std::move(initial);
    fold->condition = std::move(condition);
    fold->step = std::move(step);
    fold->result = std::move(result);
    auto expression = std::make_unique<Expression>();
    expression->node = Node::Fold;
    expression->offset = macro.offset();
    expression->fold = std::move(fold);
    measure(*expression);
    return expression;
}

ExpressionPtr expand_quantifier(MacroCall& macro) {
    const bool is_all = macro.call->name == "all";
    const bool is_one = macro.call->name == "exists_one" || macro.call->name == "existsOne";
    auto names = read_variables(macro, "argument must be a simple name");
    if (names.empty()) {
        return std::move(macro.call);
    }
    auto predicate = macro.take(macro.variables);
    if (is_one) {
        auto increment =
            macro.operation("_+_", parts(macro.result(), macro.literal(Value(std::int64_t{1}))));
        auto step = macro.operation(
            "_?_:_", parts(std::move(predicate), std::move(increment), macro.result())
        );
        auto is_single =
            macro.operation("_==_", parts(macro.result(), macro.literal(Value(std::int64_t{1}))));
        return make_fold(
            macro,
            std::move(names),
            macro.literal(Value(std::int64_t{0})),
            macro.literal(Value(true)),
            std::move(step),
            std::move(is_single)
        );
    }
    auto running = macro.result();
    if (!is_all) {
        running = macro.operation("!_", parts(std::move(running)));
    }
    auto condition = macro.operation("@not_strictly_false", parts(std::move(running)));
    auto step =
        macro.operation(is_all ? "_&&_" : "_||_", parts(macro.result(), std::move(predicate)));
    return make_fold(
        macro,
        std::move(names),
        macro.literal(Value(is_all)),
        std::move(condition),
        std::move(step),
        macro.result()
    );
}

/// Expands map, filter, transformList, transformMap and transformMapEntry.
ExpressionPtr expand_transform(MacroCall& macro) {
    const std::string name = macro.call->name;
    auto names = read_variables(
        macro,
        macro.variables == 1 ? "argument is not an identifier" : "argument must be a simple name"
    );
    if (names.empty()) {
        return std::move(macro.call);
    }
    const bool is_map = name.starts_with("transformMap");
    const bool has_filter = name == "filter" || macro.count() == macro.variables + 2;
    ExpressionPtr filter = has_filter ? macro.take(macro.variables) : nullptr;
    ExpressionPtr item = name == "filter" ? make_identifier(macro.offset(), names[0])
                                          : macro.take(macro.count() - 1);
    ExpressionPtr step;
    if (name == "transformMap") {
        step = macro.operation(
            "cel.@mapInsert",
            parts(macro.result(), make_identifier(macro.offset(), names[0]), std::move(item))
        );
    } else if (is_map) {
        step = macro.operation("cel.@mapInsert", parts(macro.result(), std::move(item)));
    } else {
        step = macro.operation(
            "_+_", parts(macro.result(), macro.collection(Node::List, std::move(item)))
        );
    }
    if (filter != nullptr) {
        step = macro.operation("_?_:_", parts(std::move(filter), std::move(step), macro.result()));
    }
    return make_fold(
        macro,
        std::move(names),
        macro.collection(is_map ? Node::Map : Node::List, nullptr),
        macro.literal(Value(true)),
        std::move(step),
        macro.result()
    );
}

ExpressionPtr expand_has(MacroCall& macro) {
    auto argument = macro.take(0);
    if (argument->node != Node::Select || argument->is_test) {
        macro.faults.push_back({argument->offset, "invalid argument to has() macro"});
        return argument;
    }
    argument->is_test = true;
    argument->offset = macro.offset();
    return argument;
}

ExpressionPtr expand_optional(MacroCall& macro) {
    const Expression& variable = *macro.call->arguments[0];
    if (variable.node != Node::Identifier) {
        macro.faults.push_back(
            {variable.offset, macro.call->name + "() variable name must be a simple identifier"}
        );
        return std::move(macro.call);
    }
    auto mapped = std::make_unique<Expression>();
    mapped->node = Node::OptionalMap;
    mapped->offset = macro.offset();
    mapped->name = variable.name;
    mapped->is_test = macro.call->name == "optFlatMap";
    mapped->target = std::move(macro.call->target);
    mapped->arguments.push_back(macro.take(1));
    measure(*mapped);
    return mapped;
}

}  // namespace

ExpressionPtr make_literal(std::size_t offset, Value value) {
    auto expression = std::make_unique<Expression>();
    expression->node = Node::Literal;
    expression->offset = offset;
    expression->literal = std::move(value);
    return expression;
}

ExpressionPtr make_identifier(std::size_t offset, std::string_view name) {
    auto expression = std::make_unique<Expression>();
    expression->node = Node::Identifier;
    expression->offset = offset;
    expression->name = name;
    return expression;
}

ExpressionPtr make_call(
    std::size_t offset, std::string_view name, std::vector<ExpressionPtr> arguments
) {
    auto expression = std::make_unique<Expression>();
    expression->node = Node::Call;
    expression->offset = offset;
    expression->name = name;
    expression->arguments = std::move(arguments);
    measure(*expression);
    return expression;
}

void measure(Expression& expression) {
    int below = 0;
    const auto see = [&](const ExpressionPtr& part) {
        below = part != nullptr ? std::max(below, part->depth) : below;
    };
    see(expression.target);
    std::ranges::for_each(expression.arguments, see);
    if (expression.fold != nullptr) {
        see(expression.fold->range);
        see(expression.fold->step);
    }
    expression.depth = below + 1;
}

ExpressionPtr expand_macro(ExpressionPtr call, std::vector<Fault>& faults) {
    const std::string& name = call->name;
    const auto count = call->arguments.size();
    MacroCall macro{nullptr, faults, 1};
    if (call->target == nullptr) {
        if (name != "has" || count != 1) {
            return call;
        }
        macro.call = std::move(call);
        return expand_has(macro);
    }
    const bool is_quantifier = name == "all" || name == "exists" || name == "exists_one" ||
                               (name == "existsOne" && count == 3);
    const bool is_double =
        name.starts_with("transform") &&
        (name == "transformList" || name == "transformMap" || name == "transformMapEntry");
    if (is_quantifier && (count == 2 || count == 3)) {
        macro.variables = count - 1;
        macro.call = std::move(call);
        return expand_quantifier(macro);
    }
    if ((name == "map" && (count == 2 || count == 3)) || (name == "filter" && count == 2)) {
        macro.call = std::move(call);
        return expand_transform(macro);
    }
    if (is_double && (count == 3 || count == 4)) {
        macro.variables = 2;
        macro.call = std::move(call);
        return expand_transform(macro);
    }
    if ((name == "optMap" || name == "optFlatMap") && count == 2) {
        macro.call = std::move(call);
        return expand_optional(macro);
    }
    return call;
}

}  // namespace sluice::cel
