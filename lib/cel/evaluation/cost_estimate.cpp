#include "cel/evaluation/cost_estimate.hpp"

#include "cel/evaluation/call_estimates.hpp"
#include "cel/evaluation/cost_rules.hpp"
#include "cel/syntax/overload.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::cel {
namespace {

using Node = Expression::Node;

bool is_scalar(const Type& type) {
    if (type.kind == Kind::Optional) {
        return is_scalar(*type.parameters[0]);
    }
    return type.kind == Kind::Bool || type.kind == Kind::Double || type.kind == Kind::Duration ||
           type.kind == Kind::Int || type.kind == Kind::Timestamp || type.kind == Kind::Uint;
}

/// Returns the size that is visible in the expression itself; nullopt if it is not a literal, list
/// or map.
std::optional<Size> written_size(const Expression& e) {
    if (e.node == Node::List) {
        return exactly(e.arguments.size());
    }
    if (e.node == Node::Map) {
        return exactly(e.arguments.size() / 2);
    }
    if (e.node != Node::Literal) {
        return std::nullopt;
    }
    if (e.literal.is<Text>()) {
        return exactly(static_cast<std::uint64_t>(count_code_points(e.literal.text())));
    }
    return exactly(e.literal.is<Bytes>() ? e.literal.get<Bytes>().text.view().size() : 1);
}

class CostEstimator {
  public:
    explicit CostEstimator(const Type& root) : root_(root) {}

    Estimate visit(const Expression& e) {
        Estimate found;
        switch (e.node) {
            case Node::Literal:
                break;
            case Node::Identifier:
                found = identifier(e);
                break;
            case Node::Select:
                found = select(e);
                break;
            case Node::Call:
                found = call(e);
                break;
            case Node::List:
                found = list(e);
                break;
            case Node::Map:
                found = map(e);
                break;
            case Node::Fold:
                found = fold(e);
                break;
            case Node::OptionalMap:
                found = optional_map(e);
                break;
        }
        found.expression = &e;
        found.type = e.type;
        if (!found.size) {
            found.size = known_size(e, found.place);
        }
        return found;
    }

  private:
    struct Variable {
        std::string_view name;
        Place place;
        std::optional<Size> size;
        std::optional<EntrySizes> entries;
    };

    /// Returns the place one step below. A part without a place counts as a variable, so that the
    /// step leads to the root type. The API server's estimate does the same, and therefore refuses
    /// fewer rules.
    Place below(const Place& place, std::string_view step) const {
        if (!place.is_known) {
            return {true, &root_};
        }
        const Type* type = place.type;
        if (type == nullptr) {
            return {true, nullptr};
        }
        const bool is_map = type->kind == Kind::Map;
        if (step == "@items" || step == "@values") {
            const bool has_items = is_map || type->kind == Kind::List;
            return {true, has_items ? type->parameters.back().get() : nullptr};
        }
        if (step == "@keys") {
            return {true, is_map ? type->parameters.front().get() : nullptr};
        }
        const auto found = type->fields.find(std::string(step));
        return {true, found != type->fields.end() ? found->second.get() : nullptr};
    }

    std::optional<Size> known_size(const Expression& e, const Place& place) const {
        if (auto written = written_size(e)) {
            return written;
        }
        if (place.is_known && place.type != nullptr) {
            return Size{0, static_cast<std::uint64_t>(place.type->max_elements)};
        }
        if (is_scalar(*e.type)) {
            return exactly(1);
        }
        const Variable* variable = e.node == Node::Identifier ? find_variable(e.name) : nullptr;
        return variable != nullptr ? variable->size : std::nullopt;
    }

    const Variable* find_variable(std::string_view name) const {
        const auto found =
            std::ranges::find(variables_.rbegin(), variables_.rend(), name, &Variable::name);
        return found != variables_.rend() ? &*found : nullptr;
    }

    Estimate identifier(const Expression& e) const {
        Estimate found;
        found.cost = 1;
        const Variable* variable = find_variable(e.name);
        if (variable == nullptr) {
            found.place = {true, &root_};
        } else {
            found.place = variable->place;
            found.entries = variable->entries;
        }
        return found;
    }

    Estimate select(const Expression& e) {
        const Estimate target = visit(*e.target);
        Estimate found;
        found.cost = target.cost;
        if (e.is_test) {
            return found;
        }
        const Kind kind = e.target->type->kind;
        if (kind == Kind::Map || kind == Kind::Object || kind == Kind::Parameter) {
            found.cost = add_costs(found.cost, 1);
        }
        found.place = below(target.place, e.name);
        return found;
    }

    Estimate list(const Expression& e) {
        Estimate found;
        found.cost = kListCost;
        Size item{e.arguments.empty() ? 0 : kMost, 0};
        for (const auto& each : e.arguments) {
            const Estimate part = visit(*each);
            found.cost = add_costs(found.cost, part.cost);
            item = item.with(part.size_or_any());
        }
        found.entries = EntrySizes{true, exactly(1), item};
        return found;
    }

    Estimate map(const Expression& e) {
        Estimate found;
        found.cost = e.name.empty() ? kMapCost : kObjectCost;
        Size key{e.arguments.empty() ? 0 : kMost, 0};
        Size value = key;
        for (std::size_t i = 0; i < e.arguments.size(); ++i) {
            const Estimate part = visit(*e.arguments[i]);
            found.cost = add_costs(found.cost, part.cost);
            Size& sum = i % 2 == 0 ? key : value;
            sum = sum.with(part.size_or_any());
        }
        found.entries = EntrySizes{false, key, value};
        return found;
    }

    Estimate call(const Expression& e) {
        std::vector<Estimate> arguments;
        arguments.reserve(e.arguments.size());
        std::uint64_t sum = 0;
        for (const auto& each : e.arguments) {
            arguments.push_back(visit(*each));
            sum = add_costs(sum, arguments.back().cost);
        }
        if (e.name == "_&&_" || e.name == "_||_") {
            Estimate found;
            found.cost = sum;
            return found;
        }
        if (e.name == "_?_:_") {
            return conditional(arguments);
        }
        if (e.name == "dyn") {
            Estimate found;
            found.cost = add_costs(arguments[0].cost, 1);
            found.size = arguments[0].size;
            found.entries = arguments[0].entries;
            return found;
        }
        std::optional<Estimate> target;
        if (e.target != nullptr) {
            target = visit(*e.target);
            sum = add_costs(sum, target->cost);
        }
        const Call made{e, target ? &*target : nullptr, std::move(arguments)};
        Estimate found = overloads(made);
        found.cost = add_costs(found.cost, sum);
        return found;
    }

    static Estimate conditional(const std::vector<Estimate>& parts) {
        Estimate found;
        found.cost = add_costs(parts[0].cost, std::max(parts[1].cost, parts[2].cost));
        found.size = parts[1].size_or_any().with(parts[2].size_or_any());
        found.entries = union_of(parts[1].entries, parts[2].entries);
        return found;
    }

    static std::optional<EntrySizes> union_of(
        const std::optional<EntrySizes>& a, const std::optional<EntrySizes>& b
    ) {
        if (!a || !b) {
            return std::nullopt;
        }
        return EntrySizes{a->is_list, a->key.with(b->key), a->value.with(b->value)};
    }

    /// Estimates the most expensive of the overloads that the types leave open.
    Estimate overloads(const Call& call) const {
        const Expression& e = call.expression;
        Estimate found;
        if (e.overloads.empty()) {
            found.cost = 1;
        }
        for (const Overload* overload : e.overloads) {
            const CallEstimate estimate = estimate_overload(*overload, call, found);
            found.cost = std::max(found.cost, estimate.cost);
            if (estimate.size) {
                found.size = found.size ? found.size->with(*estimate.size) : *estimate.size;
            }
            const bool is_list = overload->id == "index_list";
            if (is_list || overload->id == "index_map") {
                const Estimate& collection = call.arguments[0];
                found.size =
                    collection.entries ? std::optional(collection.entries->value) : std::nullopt;
                found.place = below(collection.place, is_list ? "@items" : "@values");
            }
            if (!found.size) {
                found.size = known_size(e, found.place);
            }
        }
        return found;
    }

    CallEstimate estimate_overload(const Overload& overload, const Call& call, Estimate& found)
        const {
        const std::string_view id = overload.id;
        if (overload.cost == CostRule::Traversal) {
            return estimate_traversal(call);
        }
        if (overload.cost == CostRule::StandardShorter) {
            return estimate_shorter(call);
        }
        if (id == "in_list") {
            return {call.arguments[1].size_or_any().max, std::nullopt};
        }
        if (id == "string_to_bytes" || id == "bytes_to_string") {
            const Size size = call.arguments[0].size_or_any();
            const bool is_text = id == "bytes_to_string";
            return {
                scan_cost(call.arguments[0]),
                is_text ? Size{size.min / 4, size.max} : Size{size.min, multiply_costs(size.max, 4)}
            };
        }
        if (id == "add_string" || id == "add_bytes" || id == "add_list") {
            const Size size = call.arguments[0].size_or_any().plus(call.arguments[1].size_or_any());
            if (auto entries = union_of(call.arguments[0].entries, call.arguments[1].entries)) {
                found.entries = entries;
            }
            return {id == "add_list" ? 1 : scale_cost(size.max, kCostPerCharacter), size};
        }
        if (overload.function == "join") {
            return estimate_join(call);
        }
        return estimate_function(overload.function, call);
    }

    /// Returns the size of a list's items, if its place is known.
    Size item_size(const Estimate& list) const {
        const Place items = list.place.is_known ? below(list.place, "@items") : Place{};
        return items.type != nullptr ? Size{0, static_cast<std::uint64_t>(items.type->max_elements)}
                                     : Size{};
    }

    /// Estimates sum, min, isSorted, indexOf and the like, for lists and texts.
    CallEstimate estimate_traversal(const Call& call) const {
        const Estimate& subject = call.subject();
        if (subject.type->parameters.empty()) {
            return {scan_cost(subject), std::nullopt};
        }
        const Kind kind = subject.type->parameters[0]->kind;
        const bool is_text = kind == Kind::String || kind == Kind::Bytes;
        const std::uint64_t item =
            is_text ? add_costs(scale_cost(item_size(subject).max, kCostPerCharacter), 1) : 1;
        return {multiply_costs(subject.size_or_any().max, item), std::nullopt};
    }

    CallEstimate estimate_join(const Call& call) const {
        const Size count = call.subject().size_or_any();
        Size size = count.times(item_size(call.subject()));
        if (call.count() > 0) {
            const Size gaps{count.min > 0 ? count.min - 1 : 0, count.max > 0 ? count.max - 1 : 0};
            size = size.plus(call.arguments[0].size_or_any().times(gaps));
        }
        return {scale_cost(size.max, kCostPerCharacter), size};
    }

    Estimate fold(const Expression& e) {
        const Fold& fold = *e.fold;
        const Estimate range = visit(*fold.range);
        const Estimate initial = visit(*fold.initial);
        const auto depth = variables_.size();
        variables_.push_back({kAccumulator, initial.place, initial.size, initial.entries});
        step_into(fold, range);
        const Estimate condition = visit(*fold.condition);
        const Estimate step = visit(*fold.step);
        variables_.resize(depth + 1);
        const Estimate result = visit(*fold.result);
        variables_.resize(depth);

        const Size count = range.size_or_any();
        Estimate found;
        found.cost = add_costs(add_costs(range.cost, initial.cost), result.cost);
        found.cost =
            add_costs(found.cost, multiply_costs(count.max, add_costs(condition.cost, step.cost)));
        if (fold.initial->node == Node::Literal) {
            found.size = initial.size;
        } else {
            found.size = count;
            found.entries = step.entries;
        }
        return found;
    }

    void step_into(const Fold& fold, const Estimate& range) {
        const bool is_list =
            range.entries ? range.entries->is_list : range.type->kind == Kind::List;
        const auto key = range.entries ? std::optional(range.entries->key) : std::nullopt;
        const auto value = range.entries ? std::optional(range.entries->value) : std::nullopt;
        const Place values = below(range.place, is_list ? "@items" : "@values");
        const Place keys = below(range.place, is_list ? "@indices" : "@keys");
        if (!fold.second_variable.empty()) {
            variables_.push_back({fold.variable, keys, key, std::nullopt});
            variables_.push_back({fold.second_variable, values, value, std::nullopt});
        } else if (is_list) {
            variables_.push_back({fold.variable, values, value, std::nullopt});
        } else {
            variables_.push_back({fold.variable, keys, key, std::nullopt});
        }
    }

    /// target.hasValue() ? optional.of(the expression over target.value()) : optional.none()
    Estimate optional_map(const Expression& e) {
        const Estimate target = visit(*e.target);
        variables_.push_back({e.name, {}, std::nullopt, std::nullopt});
        const Estimate body = visit(*e.arguments[0]);
        variables_.pop_back();
        const std::uint64_t bound = add_costs(kListCost + 1, add_costs(target.cost, body.cost));
        Estimate found;
        found.cost = add_costs(add_costs(target.cost, 1), add_costs(bound, e.is_test ? 0 : 1));
        return found;
    }

    const Type& root_;
    std::vector<Variable> variables_;
};

}  // namespace

std::uint64_t add_costs(std::uint64_t a, std::uint64_t b) {
    return a > kMost - b ? kMost : a + b;
}

std::uint64_t multiply_costs(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

std::uint64_t estimate_cost(const Expression& expression, const Type& root) {
    return CostEstimator(root).visit(expression).cost;
}

}  // namespace sluice::cel
