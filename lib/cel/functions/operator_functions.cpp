#include "cel/syntax/overload.hpp"
#include "cel/values/operations.hpp"

#include <array>
#include <string>

namespace sluice::cel {
namespace {

using A = const Arguments&;

/// The implementation of operators that the interpreter evaluates itself.
Value never(A) {
    return no_such_overload();
}

Value invert(A a) {
    return a[0].is<bool>() ? Value(!a[0].is_true()) : no_such_overload();
}

Value get_size(A a) {
    const auto size = size_of(a[0]);
    return size ? Value(*size) : make_failure("no such overload: size");
}

template <bool (*Accepts)(int)>
Value order(A a) {
    const Order order = compare(a[0], a[1]);
    return order.failure ? *order.failure : Value(Accepts(order.sign));
}

constexpr bool is_less(int sign) {
    return sign < 0;
}
constexpr bool is_less_or_equal(int sign) {
    return sign <= 0;
}
constexpr bool is_greater(int sign) {
    return sign > 0;
}
constexpr bool is_greater_or_equal(int sign) {
    return sign >= 0;
}

Value insert(A a) {
    const Map* map = a[0].map();
    if (map == nullptr) {
        return no_such_overload();
    }
    std::vector<Map::Entry> entries;
    for (Value& key : map->keys()) {
        auto value = map->find(key);
        entries.emplace_back(std::move(key), value ? *value : Value());
    }
    const auto add_entry = [&](const Value& key, const Value& value) -> std::optional<Value> {
        if (map->find(key)) {
            return make_failure("insert failed: key " + show(key) + " already exists");
        }
        entries.emplace_back(key, value);
        return std::nullopt;
    };
    if (a.size() == 3) {
        const auto failure = add_entry(a[1], a[2]);
        return failure ? *failure : make_map(std::move(entries));
    }
    const Map* more = a[1].map();
    if (more == nullptr) {
        return no_such_overload();
    }
    for (const Value& key : more->keys()) {
        if (const auto failure = add_entry(key, more->find(key).value_or(Value()))) {
            return *failure;
        }
    }
    return make_map(std::move(entries));
}

template <Value (*Operation)(const Value&, const Value&)>
Value binary(A a) {
    return Operation(a[0], a[1]);
}

Value is_in(A a) {
    return contains(a[1], a[0]);
}

Value minus(A a) {
    return negate(a[0]);
}

constexpr auto kOperators = std::to_array<FunctionRow>({
    {"_?_:_", "conditional", "(bool, A, A) A", never},
    {"_&&_", "logical_and", "(bool, bool) bool", never},
    {"_||_", "logical_or", "(bool, bool) bool", never},
    {"!_", "logical_not", "(bool) bool", invert},
    {"@not_strictly_false", "not_strictly_false", "(bool) bool", never},
    {"_==_", "equals", "(A, A) bool", binary<equals>, CostRule::Shorter},
    {"_!=_", "not_equals", "(A, A) bool", never, CostRule::Shorter},
    {"_+_", "add_bytes", "(bytes, bytes) bytes", binary<add>, CostRule::Concatenation},
    {"_+_", "add_double", "(double, double) double", binary<add>},
    {"_+_", "add_duration_duration", "(duration, duration) duration", binary<add>},
    {"_+_", "add_duration_timestamp", "(duration, timestamp) timestamp", binary<add>},
    {"_+_", "add_timestamp_duration", "(timestamp, duration) timestamp", binary<add>},
    {"_+_", "add_int64", "(int, int) int", binary<add>},
    {"_+_", "add_list", "(list(A), list(A)) list(A)", binary<add>},
    {"_+_", "add_string", "(string, string) string", binary<add>, CostRule::Concatenation},
    {"_+_", "add_uint64", "(uint, uint) uint", binary<add>},
    {"_/_", "divide_double", "(double, double) double", binary<divide>},
    {"_/_", "divide_int64", "(int, int) int", binary<divide>},
    {"_/_", "divide_uint64", "(uint, uint) uint", binary<divide>},
    {"_%_", "modulo_int64", "(int, int) int", binary<modulo>},
    {"_%_", "modulo_uint64", "(uint, uint) uint", binary<modulo>},
    {"_*_", "multiply_double", "(double, double) double", binary<multiply>},
    {"_*_", "multiply_int64", "(int, int) int", binary<multiply>},
    {"_*_", "multiply_uint64", "(uint, uint) uint", binary<multiply>},
    {"-_", "negate_double", "(double) double", minus},
    {"-_", "negate_int64", "(int) int", minus},
    {"_-_", "subtract_double", "(double, double) double", binary<subtract>},
    {"_-_", "subtract_duration_duration", "(duration, duration) duration", binary<subtract>},
    {"_-_", "subtract_int64", "(int, int) int", binary<subtract>},
    {"_-_", "subtract_timestamp_duration", "(timestamp, duration) timestamp", binary<subtract>},
    {"_-_", "subtract_timestamp_timestamp", "(timestamp, timestamp) duration", binary<subtract>},
    {"_-_", "subtract_uint64", "(uint, uint) uint", binary<subtract>},
    {"_[_]", "index_list", "(list(A), int) A", never},
    {"_[_]", "index_map", "(map(A, B), A) B", never},
    {"_[_]", "optional_list_index_int", "(optional_type(list(V)), int) optional_type(V)", never},
    {"_[_]", "optional_map_index_value", "(optional_type(map(K, V)), K) optional_type(V)", never},
    {"_[?_]", "list_optindex_optional_int", "(list(V), int) optional_type(V)", never},
    {"_[?_]",
     "optional_list_optindex_optional_int",
     "(optional_type(list(V)), int) optional_type(V)",
     never},
    {"_[?_]", "map_optindex_optional_value", "(map(K, V), K) optional_type(V)", never},
    {"_[?_]",
     "optional_map_optindex_optional_value",
     "(optional_type(map(K, V)), K) optional_type(V)",
     never},
    {"@in", "in_list", "(A, list(A)) bool", is_in, CostRule::Items},
    {"@in", "in_map", "(A, map(A, B)) bool", is_in},
    {"size", "size_bytes", "(bytes) int", get_size},
    {"size", "bytes_size", "bytes.() int", get_size},
    {"size", "size_list", "(list(A)) int", get_size},
    {"size", "list_size", "list(A).() int", get_size},
    {"size", "size_map", "(map(A, B)) int", get_size},
    {"size", "map_size", "map(A, B).() int", get_size},
    {"size", "size_string", "(string) int", get_size},
    {"size", "string_size", "string.() int", get_size},
    {"cel.@mapInsert", "@mapInsert_map_key_value", "(map(K, V), K, V) map(K, V)", insert},
    {"cel.@mapInsert", "@mapInsert_map_map", "(map(K, V), map(K, V)) map(K, V)", insert},
});

struct Comparison {
    std::string_view function;
    Implementation implementation;
};

constexpr auto kComparisons = std::to_array<Comparison>({
    {"_<_", order<is_less>},
    {"_<=_", order<is_less_or_equal>},
    {"_>_", order<is_greater>},
    {"_>=_", order<is_greater_or_equal>},
});

// The signatures also serve as identifiers, which must only differ within a function.
constexpr auto kOrdered = std::to_array<std::string_view>({
    "(bool, bool) bool",
    "(int, int) bool",
    "(int, double) bool",
    "(int, uint) bool",
    "(uint, uint) bool",
    "(uint, double) bool",
    "(uint, int) bool",
    "(double, double) bool",
    "(double, int) bool",
    "(double, uint) bool",
    "(string, string) bool",
    "(bytes, bytes) bool",
    "(timestamp, timestamp) bool",
    "(duration, duration) bool",
});

}  // namespace

std::span<const FunctionRow> operator_rows() {
    return kOperators;
}

std::span<const FunctionRow> comparison_rows() {
    static const auto kRows = [] {
        std::vector<FunctionRow> rows;
        for (const Comparison& each : kComparisons) {
            for (const auto signature : kOrdered) {
                const bool is_text =
                    signature.starts_with("(string") || signature.starts_with("(bytes");
                rows.push_back(
                    {each.function,
                     signature,
                     signature,
                     each.implementation,
                     is_text ? CostRule::StandardShorter : CostRule::Unit}
                );
            }
        }
        return rows;
    }();
    return kRows;
}

}  // namespace sluice::cel
