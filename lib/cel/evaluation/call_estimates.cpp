#include "cel/evaluation/call_estimates.hpp"

#include "cel/evaluation/cost_rules.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace sluice::cel {
namespace {

std::uint64_t regex_cost(const Estimate& text, const Estimate& pattern) {
    const Size with_end = text.size_or_any().plus(exactly(1));
    return multiply_costs(
        scale_cost(with_end.max, kCostPerCharacter),
        scale_cost(pattern.size_or_any().max, kCostPerPatternCharacter)
    );
}

CallEstimate estimate_scan(const Call& call) {
    return {scan_cost(call.subject()), call.subject().size_or_any()};
}

CallEstimate estimate_prefix(const Call& call) {
    return {scan_cost(call.arguments[0]), std::nullopt};
}

CallEstimate estimate_contains(const Call& call) {
    return {multiply_costs(scan_cost(call.subject()), scan_cost(call.arguments[0])), std::nullopt};
}

CallEstimate estimate_matches(const Call& call) {
    // The call with two arguments (not the member) counts as cheap.
    const bool is_member = call.target != nullptr;
    return {is_member ? regex_cost(*call.target, call.arguments[0]) : 1, std::nullopt};
}

CallEstimate estimate_find(const Call& call) {
    const Size text = call.subject().size_or_any();
    return {regex_cost(call.subject(), call.arguments[0]), Size{0, text.max}};
}

/// Returns how many parts of this length a text has, including a last shorter one.
std::uint64_t parts_of(std::uint64_t text, std::uint64_t length) {
    return text / length + (text % length == 0 ? 0 : 1);
}

/// Returns the greatest length of the result of replacing in a text of the given length.
std::uint64_t replaced_max(std::uint64_t text, const Size& from, const Size& to) {
    if (from.min == 0) {
        // An empty `from` matches around every character.
        return add_costs(multiply_costs(add_costs(text, 1), to.max), text);
    }
    if (to.max <= from.min) {
        return text;
    }
    return multiply_costs(parts_of(text, from.min), to.max);
}

std::uint64_t replaced_min(std::uint64_t text, const Size& from, const Size& to) {
    if (from.max == 0) {
        return add_costs(multiply_costs(add_costs(text, 1), to.min), text);
    }
    if (from.max <= to.min) {
        return text;
    }
    return multiply_costs(parts_of(text, from.max), to.min);
}

CallEstimate estimate_replace(const Call& call) {
    const Size text = call.subject().size_or_any();
    const Size from = call.arguments[0].size_or_any();
    const Size to = call.arguments[1].size_or_any();
    return {
        scale_cost(text.max, 2 * kCostPerCharacter),
        Size{replaced_min(text.min, from, to), replaced_max(text.max, from, to)}
    };
}

std::optional<std::uint64_t> written_number(const Call& call, std::size_t index) {
    if (index >= call.count()) {
        return std::nullopt;
    }
    const auto* number = call.arguments[index].expression->literal.get_if<std::int64_t>();
    return number != nullptr ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

CallEstimate estimate_split(const Call& call) {
    const Size text = call.subject().size_or_any();
    return {
        scale_cost(text.max, 2 * kCostPerCharacter),
        Size{0, written_number(call, 1).value_or(text.max)}
    };
}

CallEstimate estimate_quote(const Call& call) {
    const Size text = call.arguments[0].size_or_any();
    return {
        scan_cost(call.arguments[0]),
        Size{add_costs(text.min, 2), add_costs(multiply_costs(text.max, 2), 2)}
    };
}

CallEstimate make_list_estimate(Size size, double factor) {
    return {add_costs(scale_cost(size.max, factor), 1 + kListCost), size};
}

CallEstimate estimate_reverse(const Call& call) {
    return make_list_estimate(call.subject().size_or_any(), 1);
}

CallEstimate estimate_flatten(const Call& call) {
    const double depth =
        call.count() == 0 ? 1.0 : static_cast<double>(written_number(call, 0).value_or(kMost));
    return make_list_estimate(call.subject().size_or_any(), depth);
}

CallEstimate estimate_slice(const Call& call) {
    const std::uint64_t from = written_number(call, 0).value_or(0);
    const std::uint64_t to = written_number(call, 1).value_or(call.subject().size_or_any().max);
    return make_list_estimate(exactly(to - from), 1);
}

CallEstimate estimate_range(const Call& call) {
    return make_list_estimate(exactly(written_number(call, 0).value_or(kMost)), 1);
}

CallEstimate estimate_sort(const Call& call) {
    const Size size = call.subject().size_or_any();
    const Type& list = *call.subject().type;
    const bool is_text = !list.parameters.empty() && (list.parameters[0]->kind == Kind::String ||
                                                      list.parameters[0]->kind == Kind::Bytes);
    return make_list_estimate(size.times(size), is_text ? 2 + kCostPerCharacter : 2);
}

CallEstimate estimate_distinct(const Call& call) {
    const Size size = call.subject().size_or_any();
    return make_list_estimate(size.times(size), 2);
}

template <int Factor>
CallEstimate estimate_sets(const Call& call) {
    const Size pairs = call.arguments[0].size_or_any().times(call.arguments[1].size_or_any());
    return {add_costs(multiply_costs(pairs.max, Factor), 1), std::nullopt};
}

using Estimator = CallEstimate (*)(const Call& call);

/// Functions whose estimate depends only on their name, not on the overload.
constexpr auto kByName = std::to_array<std::pair<std::string_view, Estimator>>({
    {"lowerAscii", estimate_scan},
    {"upperAscii", estimate_scan},
    {"substring", estimate_scan},
    {"trim", estimate_scan},
    {"startsWith", estimate_prefix},
    {"endsWith", estimate_prefix},
    {"contains", estimate_contains},
    {"matches", estimate_matches},
    {"find", estimate_find},
    {"findAll", estimate_find},
    {"replace", estimate_replace},
    {"split", estimate_split},
    {"strings.quote", estimate_quote},
    {"_==_", estimate_shorter},
    {"_!=_", estimate_shorter},
    {"reverse", estimate_reverse},
    {"flatten", estimate_flatten},
    {"slice", estimate_slice},
    {"lists.range", estimate_range},
    {"sort", estimate_sort},
    {"distinct", estimate_distinct},
    {"sets.contains", estimate_sets<1>},
    {"sets.intersects", estimate_sets<1>},
    {"sets.equivalent", estimate_sets<2>},
});

}  // namespace

std::uint64_t scale_cost(std::uint64_t size, double factor) {
    constexpr double kLimit = 18446744073709551616.0;
    const double product = std::ceil(static_cast<double>(size) * factor);
    return product >= kLimit ? kMost : static_cast<std::uint64_t>(product);
}

std::uint64_t scan_cost(const Estimate& value) {
    return scale_cost(value.size_or_any().max, kCostPerCharacter);
}

CallEstimate estimate_shorter(const Call& call) {
    const std::uint64_t shorter =
        std::min(call.arguments[0].size_or_any().max, call.arguments[1].size_or_any().max);
    return {scale_cost(shorter, kCostPerCharacter), std::nullopt};
}

CallEstimate estimate_function(std::string_view function, const Call& call) {
    const auto found =
        std::ranges::find(kByName, function, [](const auto& row) { return row.first; });
    return found != kByName.end() ? found->second(call) : CallEstimate{};
}

}  // namespace sluice::cel
