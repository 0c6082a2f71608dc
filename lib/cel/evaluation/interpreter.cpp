#include "cel/evaluation/interpreter.hpp"

#include "cel/evaluation/cost_estimate.hpp"
#include "cel/evaluation/cost_rules.hpp"
#include "cel/evaluation/effort.hpp"
#include "cel/functions/dispatch.hpp"
#include "cel/values/operations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::cel {
namespace {

using Node = Expression::Node;

/// Returns true if the value is read by a path from a variable; its steps are then charged
/// together.
bool is_path(const Expression& e) {
    return e.node == Node::Identifier || (e.node == Node::Select && !e.is_test) ||
           (e.node == Node::Call &&
            (e.name == "_[_]" || e.name == "_[?_]" || e.name == "_?._" || e.name == "_?_:_"));
}

/// Returns the cost of a path without its steps: that of its beginning.
std::uint64_t path_start(const Expression& e) {
    if (e.node == Node::Call && e.name == "_?_:_") {
        return 0;
    }
    const Expression* below = e.node == Node::Select ? e.target.get()
                              : e.node == Node::Call ? e.arguments[0].get()
                                                     : nullptr;
    return below != nullptr && is_path(*below) ? path_start(*below) : 1;
}

/// Returns true if the value is known before evaluation.
bool is_constant(const Expression& e) {
    if (e.node == Node::List || e.node == Node::Map) {
        return std::ranges::all_of(e.arguments, [](const auto& each) {
            return is_constant(*each);
        });
    }
    return e.node == Node::Literal;
}

/// The item that a step of map or filter adds to the list, and its condition.
struct Gathered {
    const Expression* item = nullptr;
    const Expression* condition = nullptr;
};

Gathered find_gathered(const Expression& step) {
    const Expression* sum = &step;
    Gathered found;
    if (step.node == Node::Call && step.name == "_?_:_" && step.arguments.size() == 3) {
        found.condition = step.arguments[0].get();
        sum = step.arguments[1].get();
    }
    if (sum->node == Node::Call && sum->name == "_+_" &&
        sum->arguments[0]->node == Node::Identifier && sum->arguments[0]->name == kAccumulator &&
        sum->arguments[1]->node == Node::List) {
        found.item = sum->arguments[1]->arguments[0].get();
    }
    return found;
}

/// Returns the API server's name for a value that is not a list or map: the name of its Go type.
std::string_view name_of_kind(const Value& value) {
    return value.is_null()             ? "types.Null"
           : value.is<bool>()          ? "types.Bool"
           : value.is<std::int64_t>()  ? "types.Int"
           : value.is<std::uint64_t>() ? "types.Uint"
           : value.is<double>()        ? "types.Double"
           : value.is<Text>()          ? "types.String"
           : value.is<Bytes>()         ? "types.Bytes"
           : value.is<Duration>()      ? "types.Duration"
           : value.is<Timestamp>()     ? "types.Timestamp"
                                       : "*types.Optional";
}

}  // namespace

bool Interpreter::charge(std::uint64_t cost) {
    if (__builtin_add_overflow(cost_, cost, &cost_) || cost_ > budget_) {
        exhausted_ = true;
    }
    return !exhausted_;
}

void Interpreter::spend(std::uint64_t effort) {
    effort_ = add_costs(effort_, effort);
    exhausted_ = exhausted_ || add_costs(effort_, regexes_.effort()) > kMaxEffort;
}

Value Interpreter::evaluate(const Expression& e) {
    if (exhausted_) {
        return make_failure(std::string(kBudgetExceeded));
    }
    switch (e.node) {
        case Node::Literal:
            return e.literal;
        case Node::Identifier:
            charge(1);
            return identifier(e);
        case Node::Select:
            return e.is_test ? has(e) : select(e);
        case Node::Call:
            return call(e);
        case Node::List:
            return list(e);
        case Node::Map:
            return map(e);
        case Node::Fold:
            return fold(e);
        case Node::OptionalMap:
            return optional_map(e);
    }
    return no_such_overload();
}

Value Interpreter::identifier(const Expression& e) const {
    for (auto each = variables_.rbegin(); each != variables_.rend(); ++each) {
        if (each->first == e.name) {
            return each->second;
        }
    }
    const auto found = bindings_.find(e.name);
    if (found != bindings_.end()) {
        return found->second;
    }
    return e.type != nullptr && e.type->kind == Kind::Type
               ? make_type_value(e.name)
               : make_failure("no such attribute(s): " + e.name);
}

Value Interpreter::select(const Expression& e) {
    Value target = evaluate(*e.target);
    charge(is_path(*e.target) ? 1 : 2);
    return target.is_failure() ? target : at_index(target, Text::borrow(e.name));
}

Value Interpreter::has(const Expression& e) {
    Value target = evaluate(*e.target);
    const std::uint64_t start = is_path(*e.target) ? path_start(*e.target) : 0;
    cost_ -= std::min(cost_, start);
    charge(1);
    if (target.is_failure()) {
        return target;
    }
    Value found = at_optional_index(target, Text::borrow(e.name));
    return found.is_failure() ? found : Value(found.get<Optional>().value != nullptr);
}

Value Interpreter::call(const Expression& e) {
    if (e.name == "_&&_" || e.name == "_||_") {
        return logical(e);
    }
    if (e.name == "_?_:_") {
        return conditional(e);
    }
    if (e.name == "_[_]" || e.name == "_[?_]") {
        return index(e);
    }
    if (e.name == "_?._") {
        return optional_select(e);
    }
    if (e.name == "or" || e.name == "orValue") {
        return choose_optional(e);
    }
    if (e.name == "_!=_") {
        return inequality(e);
    }
    if (e.name == "@not_strictly_false") {
        const Value value = evaluate(*e.arguments[0]);
        charge(1);
        return value.is<bool>() ? value : Value(true);
    }
    return function(e);
}

Value Interpreter::logical(const Expression& e) {
    const bool decisive = e.name == "_||_";
    std::optional<Value> failure;
    for (const auto& term : e.arguments) {
        Value value = evaluate(*term);
        if (exhausted_) {
            return value;
        }
        if (value.is<bool>()) {
            if (value.get<bool>() == decisive) {
                return value;
            }
        } else if (!failure) {
            failure = value.is_failure() ? std::move(value) : no_such_overload();
        }
    }
    return failure ? *failure : Value(!decisive);
}

Value Interpreter::conditional(const Expression& e) {
    Value condition = evaluate(*e.arguments[0]);
    if (!condition.is<bool>()) {
        return condition.is_failure() ? condition : no_such_overload();
    }
    const Expression& branch = *e.arguments[condition.is_true() ? 1 : 2];
    Value value = evaluate(branch);
    if (is_path(branch) && !exhausted_) {
        cost_ -= std::min(cost_, path_start(branch));
    }
    return value;
}

Value Interpreter::index(const Expression& e) {
    Value target = evaluate(*e.arguments[0]);
    charge(is_path(*e.arguments[0]) ? 1 : 2);
    if (target.is_failure()) {
        return target;
    }
    const Expression& key = *e.arguments[1];
    Value position = evaluate(key);
    if (is_path(key) && !exhausted_) {
        cost_ -= std::min(cost_, path_start(key));
    }
    if (position.is_failure()) {
        return position;
    }
    return e.name == "_[_]" ? at_index(target, position) : at_optional_index(target, position);
}

Value Interpreter::optional_select(const Expression& e) {
    Value target = evaluate(*e.arguments[0]);
    charge(is_path(*e.arguments[0]) ? 1 : 2);
    return target.is_failure() ? target : at_optional_index(target, e.arguments[1]->literal);
}

Value Interpreter::choose_optional(const Expression& e) {
    Value target = evaluate(*e.target);
    if (target.is_failure()) {
        return target;
    }
    const auto* optional = target.get_if<Optional>();
    if (optional == nullptr) {
        return no_such_overload();
    }
    if (optional->value != nullptr) {
        return e.name == "or" ? target : *optional->value;
    }
    return evaluate(*e.arguments[0]);
}

Value Interpreter::inequality(const Expression& e) {
    Value a = evaluate(*e.arguments[0]);
    Value b = evaluate(*e.arguments[1]);
    if (a.is_failure() || b.is_failure()) {
        return a.is_failure() ? a : b;
    }
    const std::vector<Value> arguments{a, b};
    charge(call_cost(CostRule::Shorter, true, arguments, Value()));
    spend(reading_effort(CostRule::Shorter, arguments));
    if (exhausted_) {
        return make_failure(std::string(kBudgetExceeded));
    }
    Value same = equals(a, b);
    return same.is<bool>() ? Value(!same.is_true()) : same;
}

Value Interpreter::function(const Expression& e) {
    if (e.name == "@in" && is_constant(*e.arguments[1])) {
        // A constant list is searched without a charge for its items.
        Value item = evaluate(*e.arguments[0]);
        if (item.is_failure()) {
            return item;
        }
        return contains(evaluate(*e.arguments[1]), item);
    }
    std::vector<Value> arguments;
    if (e.target != nullptr) {
        arguments.push_back(evaluate(*e.target));
    }
    for (const auto& argument : e.arguments) {
        arguments.push_back(evaluate(*argument));
    }
    for (Value& argument : arguments) {
        if (argument.is_failure()) {
            return std::move(argument);
        }
    }
    return invoke(e, arguments);
}

Value Interpreter::invoke(const Expression& e, std::vector<Value>& arguments) {
    const Overload* overload = e.only_overload();
    if (overload == nullptr ||
        (overload->guard == Guard::Signature && !fits(*overload, arguments))) {
        overload =
            overload == nullptr ? find_fitting(e.name, e.target != nullptr, arguments) : nullptr;
    }
    if (overload == nullptr) {
        charge(1);
        return refuse_call(e.name, arguments);
    }
    spend(reading_effort(overload->cost, arguments));
    if (exhausted_) {
        return make_failure(std::string(kBudgetExceeded));
    }
    Value result = overload->implementation({arguments, regexes_});
    charge(call_cost(overload->cost, e.overloads.size() == 1, arguments, result));
    spend(making_effort(result, e.name == "cel.@mapInsert"));
    return result;
}

Value Interpreter::list(const Expression& e) {
    if (!is_constant(e)) {
        charge(kListCost);
    }
    std::vector<Value> items;
    for (std::size_t i = 0; i < e.arguments.size(); ++i) {
        Value item = evaluate(*e.arguments[i]);
        if (item.is_failure()) {
            return item;
        }
        if (!e.is_optional[i]) {
            items.push_back(std::move(item));
        } else if (const auto* optional = item.get_if<Optional>()) {
            if (optional->value != nullptr) {
                items.push_back(*optional->value);
            }
        } else {
            return make_failure(
                "cannot initialize optional list element from non-optional value " + show(item)
            );
        }
    }
    return make_list(std::move(items));
}

Value Interpreter::map(const Expression& e) {
    if (!is_constant(e)) {
        charge(e.name.empty() ? kMapCost : kObjectCost);
    }
    std::vector<Map::Entry> entries;
    for (std::size_t i = 0; i + 1 < e.arguments.size(); i += 2) {
        Value key = evaluate(*e.arguments[i]);
        if (key.is_failure()) {
            return key;
        }
        Value value = evaluate(*e.arguments[i + 1]);
        if (value.is_failure()) {
            return value;
        }
        if (!e.is_optional[i / 2]) {
            entries.emplace_back(std::move(key), std::move(value));
        } else if (const auto* optional = value.get_if<Optional>()) {
            if (optional->value != nullptr) {
                entries.emplace_back(std::move(key), *optional->value);
            }
        } else {
            return make_failure(fmt::format(
                "cannot initialize optional entry '{}' from non-optional value {}",
                show(key),
                show(value)
            ));
        }
    }
    return make_map(std::move(entries));
}

Value Interpreter::fold(const Expression& e) {
    Value range = evaluate(*e.fold->range);
    if (range.is_failure()) {
        return range;
    }
    if (range.list() == nullptr && range.map() == nullptr) {
        return make_failure(fmt::format("got '{}', expected iterable type", name_of_kind(range)));
    }
    return fold_over(e, range);
}

Value Interpreter::fold_over(const Expression& e, const Value& range) {
    const Fold& fold = *e.fold;
    if (find_gathered(*fold.step).item != nullptr) {
        return gather(fold, range);
    }
    Value result = iterate(fold, range, evaluate(*fold.initial));
    if (exhausted_) {
        return make_failure(std::string(kBudgetExceeded));
    }
    variables_.emplace_back(kAccumulator, std::move(result));
    result = evaluate(*fold.result);
    variables_.pop_back();
    return result;
}

Value Interpreter::iterate(const Fold& fold, const Value& range, Value result) {
    const auto keys = range.map() != nullptr ? range.map()->keys() : std::vector<Value>();
    const auto count = range.list() != nullptr ? range.list()->size() : keys.size();
    for (std::size_t i = 0; i < count && !exhausted_; ++i) {
        variables_.emplace_back(kAccumulator, result);
        step_into(fold, range, range.list() != nullptr ? Value() : keys[i], i);
        const bool goes_on = evaluate(*fold.condition).is_true();
        if (goes_on) {
            result = evaluate(*fold.step);
        }
        leave(fold);
        variables_.pop_back();
        if (!goes_on) {
            break;
        }
    }
    return result;
}

/// Evaluates map and filter. Appends the items to one list, instead of copying the list for each.
Value Interpreter::gather(const Fold& fold, const Value& range) {
    const Gathered gathered = find_gathered(*fold.step);
    const auto keys = range.map() != nullptr ? range.map()->keys() : std::vector<Value>();
    const auto count = range.list() != nullptr ? range.list()->size() : keys.size();
    std::vector<Value> items;
    std::optional<Value> failure;
    for (std::size_t i = 0; i < count && !exhausted_ && !failure; ++i) {
        step_into(fold, range, range.list() != nullptr ? Value() : keys[i], i);
        Value condition =
            gathered.condition != nullptr ? evaluate(*gathered.condition) : Value(true);
        if (condition.is_true()) {
            // The list so far, the list of one item, and their sum.
            charge(1 + kListCost + 1);
            Value item = evaluate(*gathered.item);
            if (item.is_failure()) {
                failure = std::move(item);
            } else {
                items.push_back(std::move(item));
            }
        } else if (!condition.is_false()) {
            failure = condition.is_failure() ? std::move(condition) : no_such_overload();
        }
        leave(fold);
    }
    if (exhausted_ || failure) {
        return failure ? *failure : make_failure(std::string(kBudgetExceeded));
    }
    charge(1);
    return make_list(std::move(items));
}

void Interpreter::step_into(
    const Fold& fold, const Value& range, const Value& key, std::size_t position
) {
    const List* items = range.list();
    const bool has_two = !fold.second_variable.empty();
    if (!has_two) {
        variables_.emplace_back(fold.variable, items != nullptr ? items->at(position) : key);
        return;
    }
    variables_.emplace_back(
        fold.variable, items != nullptr ? Value(static_cast<std::int64_t>(position)) : key
    );
    const auto found = items == nullptr ? range.map()->find(key) : std::optional<Value>();
    variables_.emplace_back(
        fold.second_variable, items != nullptr ? items->at(position) : found.value_or(Value())
    );
}

void Interpreter::leave(const Fold& fold) {
    variables_.pop_back();
    if (!fold.second_variable.empty()) {
        variables_.pop_back();
    }
}

Value Interpreter::optional_map(const Expression& e) {
    Value target = evaluate(*e.target);
    charge(2);
    if (target.is_failure()) {
        return target;
    }
    const auto* optional = target.get_if<Optional>();
    if (optional == nullptr) {
        return no_such_overload();
    }
    if (optional->value == nullptr) {
        return target;
    }
    variables_.emplace_back(e.name, *optional->value);
    Value value = evaluate(*e.arguments[0]);
    variables_.pop_back();
    return value.is_failure() || e.is_test ? value : make_optional(std::move(value));
}

}  // namespace sluice::cel
