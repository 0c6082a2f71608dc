#include "cel/values/operations.hpp"

#include "cel/values/schema.hpp"
#include "cel/values/temporal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace sluice::cel {
namespace {

constexpr auto kMinInt = std::numeric_limits<std::int64_t>::min();

template <class T, class F>
std::optional<Value> on_both(const Value& a, const Value& b, F operation) {
    const T* x = a.get_if<T>();
    const T* y = b.get_if<T>();
    return x != nullptr && y != nullptr ? std::optional<Value>(operation(*x, *y)) : std::nullopt;
}

Value checked(bool overflows, Value value, bool is_unsigned = false) {
    return overflows ? make_failure(is_unsigned ? "unsigned integer overflow" : "integer overflow")
                     : std::move(value);
}

/// Refuses operands. `has_meaning` is false if the operator is not defined for the type of `a` at
/// all.
Value refuse(const Value& a, std::string_view name, bool has_meaning) {
    if (a.is_failure()) {
        return a;
    }
    return has_meaning ? no_such_overload()
                       : make_failure("no such overload: " + std::string(name));
}

bool is_number(const Value& value) {
    return value.is<std::int64_t>() || value.is<std::uint64_t>() || value.is<double>();
}

Value concatenate_text(std::string_view a, std::string_view b) {
    if (a.size() + b.size() > kMaxBytes) {
        return make_failure("the string is too long");
    }
    std::string text(a);
    text += b;
    return make_string(std::move(text));
}

/// Returns a text that is the same for two values that are the same item of a set or map list.
std::string item_key(const Value& item, const Schema& schema) {
    if (schema.list_type == Schema::ListType::Set) {
        return type_name(item) + show(item);
    }
    std::string key;
    for (const auto& name : schema.list_keys) {
        const auto escaped = escape_name(name).value_or(name);
        const auto part = item.map() != nullptr ? item.map()->find(Text::borrow(escaped))
                                                : std::optional<Value>();
        key += part ? type_name(*part) + show(*part) : "";
        key += '\0';
    }
    return key;
}

Value concatenate(const List& a, const List& b) {
    if (a.size() + b.size() > kMaxItems) {
        return make_failure("the list is too long");
    }
    std::vector<Value> items;
    items.reserve(a.size() + b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        items.push_back(a.at(i));
    }
    const Schema* schema = a.schema();
    if (schema == nullptr || schema->list_type == Schema::ListType::Atomic) {
        for (std::size_t i = 0; i < b.size(); ++i) {
            items.push_back(b.at(i));
        }
        return make_list(std::move(items));
    }
    // Lists of type set are united; in lists of type map, items with the same keys are replaced.
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < items.size(); ++i) {
        positions[item_key(items[i], *schema)] = i;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        const auto [known, is_new] = positions.emplace(item_key(b.at(i), *schema), items.size());
        if (is_new) {
            items.push_back(b.at(i));
        } else {
            items[known->second] = b.at(i);
        }
    }
    return std::shared_ptr<const List>(std::make_shared<List>(std::move(items), schema));
}

Value add_durations(Duration a, Duration b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.nanoseconds, b.nanoseconds, &sum)
               ? make_failure("duration overflow")
               : Value(Duration{sum});
}

Value add_to_time(const Timestamp& time, Duration duration) {
    const auto sum = cel::add(time, duration);
    return sum ? Value(*sum) : make_failure("timestamp overflow");
}

std::optional<std::int64_t> as_index(const Value& index) {
    if (const auto* number = index.get_if<std::int64_t>()) {
        return *number;
    }
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (const auto* number = index.get_if<std::uint64_t>(); number != nullptr && *number <= kMax) {
        return static_cast<std::int64_t>(*number);
    }
    constexpr double kLimit = 1e15;
    if (const auto* number = index.get_if<double>();
        number != nullptr && std::abs(*number) < kLimit && *number == std::trunc(*number)) {
        return static_cast<std::int64_t>(*number);
    }
    return std::nullopt;
}

struct Found {
    std::optional<Value> value;
    std::string problem;  ///< the failure if `value` is empty
    bool is_missing = false;
};

Found look_up(const Value& collection, const Value& index) {
    if (const List* list = collection.list()) {
        const auto position = as_index(index);
        if (!position) {
            return {
                std::nullopt,
                fmt::format("unsupported index type '{}' in list", type_name(index)),
                false
            };
        }
        if (*position < 0 || *position >= static_cast<std::int64_t>(list->size())) {
            return {std::nullopt, "index out of bounds: " + show(index), true};
        }
        return {list->at(static_cast<std::size_t>(*position)), "", false};
    }
    if (const Map* map = collection.map()) {
        if (map->raw() != nullptr && !index.is<Text>()) {
            return {std::nullopt, "no such overload", false};
        }
        return {map->find(index), "no such key: " + show(index), true};
    }
    return {std::nullopt, "no such key: " + show(index), true};
}

}  // namespace

Value contains(const Value& collection, const Value& item) {
    if (const Map* map = collection.map()) {
        if (map->raw() != nullptr && !item.is<Text>()) {
            return no_such_overload();
        }
        const auto found = map->find(item);
        return found && found->is_failure() ? *found : Value(found.has_value());
    }
    const List* list = collection.list();
    if (list == nullptr) {
        return no_such_overload();
    }
    std::optional<Value> failure;
    for (std::size_t i = 0; i < list->size(); ++i) {
        Value same = equals(list->at(i), item);
        if (same.is_true()) {
            return true;
        }
        if (same.is_failure() && !failure) {
            failure = std::move(same);
        }
    }
    return failure ? *failure : Value(false);
}

Value at_index(const Value& collection, const Value& index) {
    if (const auto* optional = collection.get_if<Optional>()) {
        return optional->value == nullptr ? collection : at_optional_index(*optional->value, index);
    }
    Found found = look_up(collection, index);
    return found.value ? *found.value : make_failure(std::move(found.problem));
}

Value at_optional_index(const Value& collection, const Value& index) {
    if (const auto* optional = collection.get_if<Optional>()) {
        return optional->value == nullptr ? collection : at_optional_index(*optional->value, index);
    }
    Found found = look_up(collection, index);
    if (found.value) {
        return found.value->is_failure() ? *found.value : make_optional(*found.value);
    }
    return found.is_missing ? Value(Optional{}) : make_failure(std::move(found.problem));
}

Value add(const Value& a, const Value& b) {
    if (auto sum = on_both<std::int64_t>(a, b, [](std::int64_t x, std::int64_t y) {
            std::int64_t result = 0;
            const bool overflows = __builtin_add_overflow(x, y, &result);
            return checked(overflows, Value(result));
        })) {
        return *sum;
    }
    if (auto sum = on_both<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) {
            std::uint64_t result = 0;
            const bool overflows = __builtin_add_overflow(x, y, &result);
            return checked(overflows, Value(result), true);
        })) {
        return *sum;
    }
    if (a.is<double>() && b.is<double>()) {
        return a.get<double>() + b.get<double>();
    }
    if (a.is<Text>() && b.is<Text>()) {
        return concatenate_text(a.text(), b.text());
    }
    if (a.list() != nullptr && b.list() != nullptr) {
        return concatenate(*a.list(), *b.list());
    }
    if (a.is<Bytes>() && b.is<Bytes>()) {
        Value text = concatenate_text(a.get<Bytes>().text.view(), b.get<Bytes>().text.view());
        return text.is_failure() ? text : Value(Bytes{text.get<Text>()});
    }
    if (a.is<Duration>() && b.is<Duration>()) {
        return add_durations(a.get<Duration>(), b.get<Duration>());
    }
    if (a.is<Duration>() && b.is<Timestamp>()) {
        return add_to_time(b.get<Timestamp>(), a.get<Duration>());
    }
    if (a.is<Timestamp>() && b.is<Duration>()) {
        return add_to_time(a.get<Timestamp>(), b.get<Duration>());
    }
    return refuse(a, "_+_", !a.is<bool>() && !a.is_null() && a.map() == nullptr);
}

Value subtract(const Value& a, const Value& b) {
    if (auto result = on_both<std::int64_t>(a, b, [](std::int64_t x, std::int64_t y) {
            std::int64_t difference = 0;
            const bool overflows = __builtin_sub_overflow(x, y, &difference);
            return checked(overflows, Value(difference));
        })) {
        return *result;
    }
    if (auto result = on_both<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) {
            return checked(y > x, Value(x - y), true);
        })) {
        return *result;
    }
    if (a.is<double>() && b.is<double>()) {
        return a.get<double>() - b.get<double>();
    }
    const auto* duration = b.get_if<Duration>();
    if (duration != nullptr && duration->nanoseconds == kMinInt) {
        return make_failure("duration overflow");
    }
    if (a.is<Duration>() && duration != nullptr) {
        return add_durations(a.get<Duration>(), Duration{-duration->nanoseconds});
    }
    if (a.is<Timestamp>() && duration != nullptr) {
        return add_to_time(a.get<Timestamp>(), Duration{-duration->nanoseconds});
    }
    if (a.is<Timestamp>() && b.is<Timestamp>()) {
        const auto result = between(b.get<Timestamp>(), a.get<Timestamp>());
        return result ? Value(*result) : make_failure("duration overflow");
    }
    return refuse(a, "_-_", is_number(a) || a.is<Duration>() || a.is<Timestamp>());
}

Value multiply(const Value& a, const Value& b) {
    if (auto result = on_both<std::int64_t>(a, b, [](std::int64_t x, std::int64_t y) {
            std::int64_t product = 0;
            const bool overflows = __builtin_mul_overflow(x, y, &product);
            return checked(overflows, Value(product));
        })) {
        return *result;
    }
    if (auto result = on_both<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) {
            std::uint64_t product = 0;
            const bool overflows = __builtin_mul_overflow(x, y, &product);
            return checked(overflows, Value(product), true);
        })) {
        return *result;
    }
    if (a.is<double>() && b.is<double>()) {
        return a.get<double>() * b.get<double>();
    }
    return refuse(a, "_*_", is_number(a));
}

Value divide(const Value& a, const Value& b) {
    if (auto result = on_both<std::int64_t>(a, b, [](std::int64_t x, std::int64_t y) {
            if (y == 0) {
                return make_failure("division by zero");
            }
            return x == kMinInt && y == -1 ? checked(true, {}) : Value(x / y);
        })) {
        return *result;
    }
    if (auto result = on_both<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) {
            return y == 0 ? make_failure("division by zero") : Value(x / y);
        })) {
        return *result;
    }
    if (a.is<double>() && b.is<double>()) {
        const double x = a.get<double>();
        const double y = b.get<double>();
        if (y == 0) {
            const double infinity = std::signbit(x) == std::signbit(y)
                                        ? std::numeric_limits<double>::infinity()
                                        : -std::numeric_limits<double>::infinity();
            return x == 0 || std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : infinity;
        }
        return x / y;
    }
    return refuse(a, "_/_", is_number(a));
}

Value modulo(const Value& a, const Value& b) {
    if (auto result = on_both<std::int64_t>(a, b, [](std::int64_t x, std::int64_t y) {
            if (y == 0) {
                return make_failure("modulus by zero");
            }
            return x == kMinInt && y == -1 ? checked(true, {}) : Value(x % y);
        })) {
        return *result;
    }
    if (auto result = on_both<std::uint64_t>(a, b, [](std::uint64_t x, std::uint64_t y) {
            return y == 0 ? make_failure("modulus by zero") : Value(x % y);
        })) {
        return *result;
    }
    return refuse(a, "_%_", a.is<std::int64_t>() || a.is<std::uint64_t>());
}

Value negate(const Value& a) {
    if (const auto* number = a.get_if<std::int64_t>()) {
        return *number == kMinInt ? checked(true, {}) : Value(-*number);
    }
    if (const auto* number = a.get_if<double>()) {
        return -*number;
    }
    return no_such_overload();
}

std::optional<std::int64_t> size_of(const Value& value) {
    if (value.is<Text>()) {
        return count_code_points(value.text());
    }
    if (value.is<Bytes>()) {
        return static_cast<std::int64_t>(value.get<Bytes>().text.view().size());
    }
    if (value.list() != nullptr) {
        return static_cast<std::int64_t>(value.list()->size());
    }
    if (value.map() != nullptr) {
        return static_cast<std::int64_t>(value.map()->size());
    }
    return std::nullopt;
}

std::uint64_t cost_size(const Value& value) {
    if (const auto* optional = value.get_if<Optional>();
        optional != nullptr && optional->value != nullptr) {
        return cost_size(*optional->value);
    }
    return static_cast<std::uint64_t>(size_of(value).value_or(1));
}

bool is_zero_value(const Value& value) {
    if (const auto size = size_of(value)) {
        return *size == 0;
    }
    return value.is_null() || value.is_false() ||
           (value.is<std::int64_t>() && value.get<std::int64_t>() == 0) ||
           (value.is<std::uint64_t>() && value.get<std::uint64_t>() == 0) ||
           (value.is<double>() && value.get<double>() == 0) ||
           (value.is<Duration>() && value.get<Duration>().nanoseconds == 0) ||
           (value.is<Timestamp>() && value.get<Timestamp>().seconds == kMinTime &&
            value.get<Timestamp>().nanoseconds == 0) ||
           (value.is<Optional>() && value.get<Optional>().value == nullptr);
}

std::string show(const Value& value) {
    if (value.is<Text>()) {
        return std::string(value.text());
    }
    if (const auto* number = value.get_if<std::int64_t>()) {
        return std::to_string(*number);
    }
    if (const auto* number = value.get_if<std::uint64_t>()) {
        return std::to_string(*number);
    }
    if (const auto* number = value.get_if<double>()) {
        return print_double(*number);
    }
    if (value.is<bool>()) {
        return value.is_true() ? "true" : "false";
    }
    if (value.is<Duration>()) {
        return print_duration(value.get<Duration>());
    }
    if (value.is<Timestamp>()) {
        return print_timestamp(value.get<Timestamp>());
    }
    if (value.is<Bytes>()) {
        return std::string(value.get<Bytes>().text.view());
    }
    return type_name(value);
}

}  // namespace sluice::cel
