#include "cel/values/operations.hpp"
#include "cel/values/schema.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace sluice::cel {
namespace {

bool is_numeric(const Value& value) {
    return value.is<std::int64_t>() || value.is<std::uint64_t>() || value.is<double>();
}

int sign(bool is_less, bool is_greater) {
    return is_less ? -1 : is_greater ? 1 : 0;
}

int compare_double(double a, double b) {
    return sign(a<b, a> b);
}

constexpr double kLeastInt = -9223372036854775808.0;
constexpr double kLargestInt = 9223372036854775808.0;
constexpr double kMaxUint = 18446744073709551616.0;

int compare_to_double(std::int64_t a, double b) {
    return b < kLeastInt ? 1 : b > kLargestInt ? -1 : compare_double(static_cast<double>(a), b);
}

int compare_to_double(std::uint64_t a, double b) {
    return b < 0 ? 1 : b > kMaxUint ? -1 : compare_double(static_cast<double>(a), b);
}

int compare_int_to_uint(std::int64_t a, std::uint64_t b) {
    if (a < 0) {
        return -1;
    }
    const auto positive = static_cast<std::uint64_t>(a);
    return sign(positive<b, positive> b);
}

/// Requires: both are numbers and neither is NaN.
int compare_numbers(const Value& a, const Value& b) {
    if (const auto* x = a.get_if<std::int64_t>()) {
        if (const auto* y = b.get_if<std::int64_t>()) {
            return sign(*x<*y, *x> * y);
        }
        if (const auto* y = b.get_if<std::uint64_t>()) {
            return compare_int_to_uint(*x, *y);
        }
        return compare_to_double(*x, b.get<double>());
    }
    if (const auto* x = a.get_if<std::uint64_t>()) {
        if (const auto* y = b.get_if<std::uint64_t>()) {
            return sign(*x<*y, *x> * y);
        }
        if (const auto* y = b.get_if<std::int64_t>()) {
            return -compare_int_to_uint(*y, *x);
        }
        return compare_to_double(*x, b.get<double>());
    }
    return b.is<double>() ? compare_double(a.get<double>(), b.get<double>())
                          : -compare_numbers(b, a);
}

bool is_nan(const Value& value) {
    return value.is<double>() && std::isnan(value.get<double>());
}

/// Returns a text that is the same for equal scalars of one type.
std::string scalar_key(const Value& value) {
    return type_name(value) + ":" + show(value);
}

std::string map_item_key(const Value& item, const Schema& schema) {
    std::string key;
    const Map* map = item.map();
    for (const auto& name : schema.list_keys) {
        const auto escaped = escape_name(name).value_or(name);
        const auto part =
            map != nullptr ? map->find(Text::borrow(escaped)) : std::optional<Value>();
        const auto text = part ? scalar_key(*part) : std::string();
        key += std::to_string(text.size()) + ":" + text;
    }
    return key;
}

Value equals_in_any_order(const List& a, const List& b) {
    const Schema& schema = *a.schema();
    const bool is_set = schema.list_type == Schema::ListType::Set;
    const auto key_of = [&](const Value& item) {
        return is_set ? scalar_key(item) : map_item_key(item, schema);
    };
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < a.size(); ++i) {
        positions[key_of(a.at(i))] = i;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        const auto found = positions.find(key_of(b.at(i)));
        if (found == positions.end()) {
            return false;
        }
        if (is_set) {
            continue;
        }
        if (Value same = equals(a.at(found->second), b.at(i)); !same.is_true()) {
            return same;
        }
    }
    return true;
}

Value list_equals(const List& a, const List& b) {
    if (a.size() != b.size()) {
        return false;
    }
    if (a.schema() != nullptr && a.schema()->list_type != Schema::ListType::Atomic) {
        return equals_in_any_order(a, b);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (Value same = equals(a.at(i), b.at(i)); !same.is_true()) {
            return same;
        }
    }
    return true;
}

/// Compares the members that the schema does not know as JSON, if both maps have them.
bool unknown_members_equal(const Map& a, const Map& b) {
    const bool knows_all =
        a.schema() == nullptr || (!a.schema()->has_properties && a.schema()->additional != nullptr);
    if (a.raw() == nullptr || knows_all) {
        return true;
    }
    for (const auto& [name, data] : *a.raw()) {
        if (a.schema()->find(name) != nullptr) {
            continue;
        }
        if (b.raw() == nullptr) {
            return false;
        }
        for (const auto& [other_name, other_data] : *b.raw()) {
            if (other_name == name && !(other_data == data)) {
                return false;
            }
        }
    }
    return true;
}

Value map_equals(const Map& a, const Map& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (const Value& key : a.keys()) {
        const auto mine = a.find(key);
        const auto theirs = b.find(key);
        if (mine.has_value() != theirs.has_value()) {
            return false;
        }
        if (!mine) {
            continue;
        }
        if (Value same = equals(*mine, *theirs); !same.is_true()) {
            return same;
        }
    }
    return unknown_members_equal(a, b);
}

bool is_typed_collection(const Value& value) {
    return (value.list() != nullptr && value.list()->schema() != nullptr) ||
           (value.map() != nullptr && value.map()->schema() != nullptr);
}

bool same_scalar(const Value& a, const Value& b) {
    if (a.is_null() && b.is_null()) {
        return true;
    }
    if (a.is<bool>() && b.is<bool>()) {
        return a.get<bool>() == b.get<bool>();
    }
    if (a.is<Text>() && b.is<Text>()) {
        return a.text() == b.text();
    }
    if (a.is<Bytes>() && b.is<Bytes>()) {
        return a.get<Bytes>().text.view() == b.get<Bytes>().text.view();
    }
    if (a.is<Duration>() && b.is<Duration>()) {
        return a.get<Duration>().nanoseconds == b.get<Duration>().nanoseconds;
    }
    if (a.is<Timestamp>() && b.is<Timestamp>()) {
        return a.get<Timestamp>().seconds == b.get<Timestamp>().seconds &&
               a.get<Timestamp>().nanoseconds == b.get<Timestamp>().nanoseconds;
    }
    if (a.is<TypeName>() && b.is<TypeName>()) {
        return *a.get<TypeName>().name == *b.get<TypeName>().name;
    }
    if (a.is<Unknown>() && b.is<Unknown>()) {
        return *a.get<Unknown>().data == *b.get<Unknown>().data;
    }
    const Opaque* x = a.opaque();
    const Opaque* y = b.opaque();
    return x != nullptr && y != nullptr && x->type_name() == y->type_name() && x->is_equal(*y);
}

}  // namespace

Value equals(const Value& a, const Value& b) {
    if (a.is_failure() || b.is_failure()) {
        return a.is_failure() ? a : b;
    }
    if (is_numeric(a) && is_numeric(b)) {
        return !is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0;
    }
    if (a.list() != nullptr && b.list() != nullptr) {
        return list_equals(*a.list(), *b.list());
    }
    if (a.map() != nullptr && b.map() != nullptr) {
        return map_equals(*a.map(), *b.map());
    }
    if (a.is<Optional>() && b.is<Optional>()) {
        const auto& x = a.get<Optional>().value;
        const auto& y = b.get<Optional>().value;
        return x == nullptr || y == nullptr ? Value(x == y) : equals(*x, *y);
    }
    if (is_typed_collection(a)) {
        return no_such_overload();
    }
    return same_scalar(a, b);
}

Order compare(const Value& a, const Value& b) {
    if (is_numeric(a) && is_numeric(b)) {
        if (is_nan(a) || is_nan(b)) {
            return {0, make_failure("NaN values cannot be ordered")};
        }
        return {compare_numbers(a, b), std::nullopt};
    }
    if (a.is<Text>() && b.is<Text>()) {
        return {sign(a.text() < b.text(), a.text() > b.text()), std::nullopt};
    }
    if (a.is<bool>() && b.is<bool>()) {
        return {sign(a.is_false() && b.is_true(), a.is_true() && b.is_false()), std::nullopt};
    }
    if (a.is<Bytes>() && b.is<Bytes>()) {
        const auto x = a.get<Bytes>().text.view();
        const auto y = b.get<Bytes>().text.view();
        return {sign(x<y, x> y), std::nullopt};
    }
    if (a.is<Duration>() && b.is<Duration>()) {
        const auto x = a.get<Duration>().nanoseconds;
        const auto y = b.get<Duration>().nanoseconds;
        return {sign(x<y, x> y), std::nullopt};
    }
    if (a.is<Timestamp>() && b.is<Timestamp>()) {
        const auto& x = a.get<Timestamp>();
        const auto& y = b.get<Timestamp>();
        const auto left = std::pair(x.seconds, x.nanoseconds);
        const auto right = std::pair(y.seconds, y.nanoseconds);
        return {sign(left<right, left> right), std::nullopt};
    }
    return {0, no_such_overload()};
}

}  // namespace sluice::cel
