#include "cel/syntax/checker.hpp"

#include "cel/syntax/overload.hpp"
#include "cel/syntax/unifier.hpp"
#include "cel/values/schema.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sluice::cel {
namespace {

using Node = Expression::Node;

constexpr std::array<std::pair<std::string_view, Kind>, 10> kTypeNames{{
    {"bool", Kind::Bool},
    {"int", Kind::Int},
    {"uint", Kind::Uint},
    {"double", Kind::Double},
    {"string", Kind::String},
    {"bytes", Kind::Bytes},
    {"null_type", Kind::Null},
    {"type", Kind::Type},
    {"google.protobuf.Duration", Kind::Duration},
    {"google.protobuf.Timestamp", Kind::Timestamp},
}};

/// Returns the type of a type's name: `type(int)` for `int`.
TypePtr find_type_name(std::string_view name) {
    for (const auto& [each, kind] : kTypeNames) {
        if (each == name) {
            return make_type_type(simple_type(kind));
        }
    }
    const TypePtr& dyn = simple_type(Kind::Dyn);
    return name == "list"            ? make_type_type(make_list_type(dyn))
           : name == "map"           ? make_type_type(make_map_type(dyn, dyn))
           : name == "optional_type" ? make_type_type(make_optional_type(dyn))
                                     : nullptr;
}

/// Returns `a.b.c` if the expression is only such a name.
std::optional<std::string> qualified_name(const Expression& expression) {
    if (expression.node == Node::Identifier) {
        return expression.name;
    }
    if (expression.node != Node::Select || expression.is_test) {
        return std::nullopt;
    }
    auto prefix = qualified_name(*expression.target);
    return prefix ? std::optional(*prefix + "." + expression.name) : std::nullopt;
}

TypePtr literal_type(const Value& value) {
    return simple_type(
        value.is<bool>()            ? Kind::Bool
        : value.is<std::int64_t>()  ? Kind::Int
        : value.is<std::uint64_t>() ? Kind::Uint
        : value.is<double>()        ? Kind::Double
        : value.is<Text>()          ? Kind::String
        : value.is<Bytes>()         ? Kind::Bytes
                                    : Kind::Null
    );
}

class Checker {
  public:
    Checker(const Declarations& declarations, std::vector<Fault>& faults)
        : declarations_(declarations), faults_(faults) {}

    void check(Expression& e) {
        switch (e.node) {
            case Node::Literal:
                e.type = literal_type(e.literal);
                break;
            case Node::Identifier:
                check_identifier(e);
                break;
            case Node::Select:
                check_select(e);
                break;
            case Node::Call:
                check_call(e);
                break;
            case Node::List:
                check_list(e);
                break;
            case Node::Map:
                check_map(e);
                break;
            case Node::Fold:
                check_fold(e);
                break;
            case Node::OptionalMap:
                check_optional_map(e);
                break;
        }
    }

    /// Replaces the type variables in all parts.
    void finish(Expression& e) {
        e.type = unifier_.resolve(e.type, true);
        for_each_part(e, [&](Expression& part) { finish(part); });
        check_literals(e);
        check_items(e);
    }

  private:
    void fault(const Expression& e, std::string text) {
        faults_.push_back({e.offset, std::move(text)});
    }
    std::string print(const TypePtr& type) const { return print_type(*type, declarations_.scope); }
    void mismatch(const Expression& e, const TypePtr& wanted, const TypePtr& found) {
        fault(e, fmt::format("expected type '{}' but found '{}'", print(wanted), print(found)));
    }
    static bool is_wild(const TypePtr& type) {
        return type->kind == Kind::Dyn || type->kind == Kind::Error;
    }

    TypePtr find_variable(std::string_view name) const {
        for (auto each = scope_.rbegin(); each != scope_.rend(); ++each) {
            if (each->first == name) {
                return each->second;
            }
        }
        const auto found = declarations_.variables.find(name);
        return found != declarations_.variables.end() ? found->second : find_type_name(name);
    }

    void undeclared(Expression& e, std::string_view name) {
        e.type = simple_type(Kind::Error);
        fault(e, fmt::format("undeclared reference to '{}' (in container '')", name));
    }

    void check_identifier(Expression& e) {
        e.type = find_variable(e.name);
        if (e.type == nullptr) {
            undeclared(e, e.name);
        }
    }

    void check_select(Expression& e) {
        if (!e.is_test) {
            const auto name = qualified_name(e).value_or("");
            if (auto type = name.empty() ? nullptr : find_variable(name)) {
                e.node = Node::Identifier;
                e.name = name;
                e.target = nullptr;
                e.type = std::move(type);
                return;
            }
        }
        check(*e.target);
        e.type = unifier_.resolve(check_field(e, e.target->type, e.name, false), false);
        if (e.is_test) {
            e.type = simple_type(Kind::Bool);
        }
    }

    TypePtr check_field(
        const Expression& e, const TypePtr& operand, const std::string& field, bool is_optional
    ) {
        auto type = unifier_.resolve(operand, false);
        if (type->kind == Kind::Optional) {
            is_optional = true;
            type = type->parameters[0];
        }
        TypePtr result = simple_type(Kind::Dyn);
        if (type->kind == Kind::Map) {
            result = type->parameters[1];
        } else if (type->kind == Kind::Object) {
            auto found = type->fields.find(field);
            if (const auto escaped = "__" + field + "__";
                found == type->fields.end() && escape_name(field) == escaped) {
                // After a point, a reserved word needs no escape.
                found = type->fields.find(escaped);
            }
            result = found != type->fields.end() ? found->second : simple_type(Kind::Error);
            if (found == type->fields.end()) {
                fault(e, fmt::format("undefined field '{}'", field));
            }
        } else if (type->kind == Kind::Parameter) {
            unifier_.assign(simple_type(Kind::Dyn), type);
        } else if (!is_wild(type)) {
            fault(e, fmt::format("type '{}' does not support field selection", print(type)));
        }
        return is_optional ? make_optional_type(result) : result;
    }

    void check_call(Expression& e) {
        if (e.name == "_?._") {
            check(*e.arguments[0]);
            check(*e.arguments[1]);
            const std::string field(e.arguments[1]->literal.text());
            e.type = unifier_.resolve(check_field(e, e.arguments[0]->type, field, true), false);
            return;
        }
        for (const auto& argument : e.arguments) {
            check(*argument);
        }
        if (e.name == "_&&_" || e.name == "_||_") {
            check_logical(e);
            return;
        }
        if (e.target != nullptr) {
            const auto prefix = qualified_name(*e.target);
            if (prefix && !find_overloads(*prefix + "." + e.name).empty()) {
                e.name = *prefix + "." + e.name;
                e.target = nullptr;
            } else {
                check(*e.target);
            }
        }
        if (find_overloads(e.name).empty()) {
            undeclared(e, e.name);
            return;
        }
        resolve_call(e);
    }

    void check_logical(Expression& e) {
        e.type = simple_type(Kind::Bool);
        for (const auto& argument : e.arguments) {
            if (!unifier_.assign(argument->type, simple_type(Kind::Bool))) {
                mismatch(*argument, simple_type(Kind::Bool), argument->type);
                e.type = simple_type(Kind::Error);
            }
        }
    }

    void resolve_call(Expression& e) {
        std::vector<TypePtr> types;
        if (e.target != nullptr) {
            types.push_back(e.target->type);
        }
        for (const auto& argument : e.arguments) {
            types.push_back(argument->type);
        }
        TypePtr result;
        for (const Overload& overload : find_overloads(e.name)) {
            if (overload.is_member != (e.target != nullptr) ||
                overload.parameters.size() != types.size()) {
                continue;
            }
            std::map<std::string, TypePtr> names;
            std::vector<TypePtr> wanted;
            wanted.reserve(overload.parameters.size());
            for (const auto& parameter : overload.parameters) {
                wanted.push_back(unifier_.instantiate(parameter, names));
            }
            const auto returned = unifier_.instantiate(overload.result, names);
            if (!unifier_.assign_all(types, wanted)) {
                continue;
            }
            e.overloads.push_back(&overload);
            const auto resolved = unifier_.resolve(returned, false);
            if (result == nullptr) {
                result = resolved;
            } else if (result->kind != Kind::Dyn && !is_same_type(*resolved, *result)) {
                result = simple_type(Kind::Dyn);
            }
        }
        if (result == nullptr) {
            no_overload(e, types);
            result = simple_type(Kind::Error);
        }
        e.type = result;
    }

    void no_overload(const Expression& e, const std::vector<TypePtr>& types) {
        std::string signature;
        std::size_t first = 0;
        if (e.target != nullptr) {
            signature = print(unifier_.resolve(types[0], true)) + ".";
            first = 1;
        }
        signature += "(";
        for (std::size_t i = first; i < types.size(); ++i) {
            signature += i == first ? "" : ", ";
            signature += print(unifier_.resolve(types[i], true));
        }
        fault(
            e,
            fmt::format("found no matching overload for '{}' applied to '{})'", e.name, signature)
        );
    }

    /// Returns the common type of two items; Dyn if they do not match, which check_items() reports
    /// later.
    TypePtr join(const TypePtr& before, const TypePtr& type) {
        if (before == nullptr) {
            return type;
        }
        return unifier_.assign(before, type) ? most_general(before, type) : simple_type(Kind::Dyn);
    }

    TypePtr unwrap(const Expression& e, TypePtr type, bool is_optional) {
        if (!is_optional) {
            return type;
        }
        if (type->kind == Kind::Optional) {
            return type->parameters[0];
        }
        if (!is_wild(type)) {
            mismatch(e, make_optional_type(type), type);
        }
        return type;
    }

    void check_list(Expression& e) {
        TypePtr item;
        for (std::size_t i = 0; i < e.arguments.size(); ++i) {
            Expression& each = *e.arguments[i];
            check(each);
            item = join(item, unwrap(each, each.type, e.is_optional[i]));
        }
        e.type = make_list_type(item != nullptr ? item : unifier_.make_variable());
    }

    /// Checks an object literal. A field that is itself an object literal must have the type named
    /// by its path.
    void check_object(Expression& e) {
        const TypePtr type =
            declarations_.find_object_type ? declarations_.find_object_type(e.name) : nullptr;
        if (type == nullptr) {
            undeclared(e, e.name);
            return;
        }
        for (std::size_t i = 0; i + 1 < e.arguments.size(); i += 2) {
            Expression& value = *e.arguments[i + 1];
            const std::string field(e.arguments[i]->literal.text());
            check(*e.arguments[i]);
            check(value);
            const auto found =
                unifier_.resolve(unwrap(value, value.type, e.is_optional[i / 2]), false);
            const auto known = type->fields.find(field);
            if (type->kind == Kind::Dyn) {
                check_path(value, found, e.name + "." + field);
            } else if (known == type->fields.end()) {
                fault(*e.arguments[i], fmt::format("undefined field '{}'", field));
            } else if (!unifier_.assign(known->second, found)) {
                mismatch(value, known->second, found);
            }
        }
        e.type = type;
    }

    void check_path(const Expression& e, TypePtr found, const std::string& path) {
        while (found->kind == Kind::List) {
            found = found->parameters[0];
        }
        if (!found->name.empty() && found->name != path) {
            fault(
                e,
                fmt::format(
                    "unexpected type name \"{}\", expected \"{}\", which matches field name path "
                    "from root Object type",
                    found->name,
                    path
                )
            );
        }
    }

    void check_map(Expression& e) {
        if (!e.name.empty()) {
            check_object(e);
            return;
        }
        TypePtr key;
        TypePtr value;
        for (std::size_t i = 0; i + 1 < e.arguments.size(); i += 2) {
            Expression& each_key = *e.arguments[i];
            Expression& each_value = *e.arguments[i + 1];
            check(each_key);
            key = join(key, each_key.type);
            check(each_value);
            value = join(value, unwrap(each_value, each_value.type, e.is_optional[i / 2]));
        }
        if (key == nullptr) {
            key = unifier_.make_variable();
            value = unifier_.make_variable();
        }
        e.type = make_map_type(key, value);
    }

    void check_fold(Expression& e) {
        Fold& fold = *e.fold;
        check(*fold.range);
        check(*fold.initial);
        const auto range = unifier_.resolve(fold.range->type, false);
        const bool has_two = !fold.second_variable.empty();
        TypePtr first = simple_type(Kind::Dyn);
        TypePtr second = simple_type(Kind::Dyn);
        if (range->kind == Kind::List) {
            first = has_two ? simple_type(Kind::Int) : range->parameters[0];
            second = range->parameters[0];
        } else if (range->kind == Kind::Map) {
            first = range->parameters[0];
            second = range->parameters[1];
        } else if (range->kind == Kind::Parameter) {
            unifier_.assign(simple_type(Kind::Dyn), range);
        } else if (!is_wild(range)) {
            fault(
                *fold.range,
                fmt::format(
                    "expression of type '{}' cannot be range of a comprehension (must be list, "
                    "map, or dynamic)",
                    print(range)
                )
            );
            first = second = simple_type(Kind::Error);
        }
        const auto depth = scope_.size();
        const auto result = fold.initial->type;
        scope_.emplace_back(kAccumulator, result);
        scope_.emplace_back(fold.variable, first);
        if (has_two) {
            scope_.emplace_back(fold.second_variable, second);
        }
        check(*fold.condition);
        expect(*fold.condition, simple_type(Kind::Bool));
        check(*fold.step);
        expect(*fold.step, result);
        scope_.erase(scope_.begin() + static_cast<std::ptrdiff_t>(depth) + 1, scope_.end());
        check(*fold.result);
        scope_.pop_back();
        e.type = unifier_.resolve(fold.result->type, false);
    }

    void expect(const Expression& e, const TypePtr& wanted) {
        if (!unifier_.assign(wanted, e.type)) {
            mismatch(e, wanted, e.type);
        }
    }

    void check_optional_map(Expression& e) {
        check(*e.target);
        auto type = unifier_.resolve(e.target->type, false);
        if (type->kind != Kind::Optional && !is_wild(type)) {
            for (const std::string_view function : {"hasValue", "value"}) {
                fault(
                    e,
                    fmt::format(
                        "found no matching overload for '{}' applied to '{}.()'",
                        function,
                        print(type)
                    )
                );
            }
        }
        const auto inner =
            type->kind == Kind::Optional ? type->parameters[0] : simple_type(Kind::Dyn);
        scope_.emplace_back(e.name, inner);
        check(*e.arguments[0]);
        scope_.pop_back();
        const auto body = unifier_.resolve(e.arguments[0]->type, false);
        if (!e.is_test) {
            e.type = make_optional_type(body);
            return;
        }
        const auto wanted = make_optional_type(unifier_.make_variable());
        if (!unifier_.assign(body, wanted)) {
            fault(
                e,
                fmt::format(
                    "found no matching overload for '_?_:_' applied to '(bool, {}, {})'",
                    print(body),
                    print(make_optional_type(simple_type(Kind::Dyn)))
                )
            );
        }
        e.type = unifier_.resolve(wanted, false);
    }

    /// Reports items of a list, or keys or values of a map, that differ in type.
    void check_items(const Expression& e) {
        const bool is_object = e.node == Node::Map && !e.name.empty();
        if ((e.node != Node::List && e.node != Node::Map) || is_object) {
            return;
        }
        const std::size_t step = e.node == Node::Map ? 2 : 1;
        for (std::size_t i = step; i < e.arguments.size(); ++i) {
            const TypePtr& first = item_type(e, i % step);
            const TypePtr& found = item_type(e, i);
            if (!is_same_type(*first, *found)) {
                mismatch(*e.arguments[i], first, found);
                if (e.node == Node::List) {
                    return;
                }
            }
        }
    }

    static const TypePtr& item_type(const Expression& e, std::size_t index) {
        const bool is_key = e.node == Node::Map && index % 2 == 0;
        const std::size_t entry = e.node == Node::Map ? index / 2 : index;
        const TypePtr& type = e.arguments[index]->type;
        return !is_key && e.is_optional[entry] && type->kind == Kind::Optional ? type->parameters[0]
                                                                               : type;
    }

    /// Parses literal patterns, durations and times now, instead of at run time.
    void check_literals(const Expression& e) {
        if (e.node != Node::Call || e.arguments.empty() || e.arguments[0]->node != Node::Literal ||
            !e.arguments[0]->literal.is<Text>()) {
            return;
        }
        const auto text = e.arguments[0]->literal.text();
        const bool is_wrong = (e.name == "matches" && Regex(text).problem().has_value()) ||
                              (e.name == "duration" && !parse_duration(text)) ||
                              (e.name == "timestamp" && !parse_timestamp(text));
        if (is_wrong) {
            fault(*e.arguments[0], fmt::format("invalid {} argument", e.name));
        }
    }

    const Declarations& declarations_;
    std::vector<Fault>& faults_;
    Unifier unifier_;
    std::vector<std::pair<std::string_view, TypePtr>> scope_;
};

}  // namespace

void check_expression(
    Expression& expression, const Declarations& declarations, std::vector<Fault>& faults
) {
    Checker checker(declarations, faults);
    checker.check(expression);
    if (faults.empty()) {
        checker.finish(expression);
    }
}

}  // namespace sluice::cel
