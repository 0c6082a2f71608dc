#include "cel/syntax/overload.hpp"
#include "cel/values/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace sluice::cel {
namespace {

using A = const Arguments&;

std::vector<Value> items_of(const List& list) {
    std::vector<Value> items;
    items.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        items.push_back(list.at(i));
    }
    return items;
}

Value is_sorted(A a) {
    const List* list = a[0].list();
    for (std::size_t i = 1; i < list->size(); ++i) {
        const Order order = compare(list->at(i - 1), list->at(i));
        if (order.failure) {
            return *order.failure;
        }
        if (order.sign > 0) {
            return false;
        }
    }
    return true;
}

template <class T>
Value sum(A a) {
    Value total = T{};
    const List* list = a[0].list();
    for (std::size_t i = 0; i < list->size() && !total.is_failure(); ++i) {
        total = list->at(i).is_failure() ? list->at(i) : add(total, list->at(i));
    }
    return total;
}

/// Returns the smallest item for a sign of 1, the greatest for -1; the first one if several are
/// equal.
template <int Sign>
Value extreme(A a) {
    const List* list = a[0].list();
    if (list->size() == 0) {
        return make_failure(Sign > 0 ? "min called on empty list" : "max called on empty list");
    }
    Value best = list->at(0);
    for (std::size_t i = 1; i < list->size(); ++i) {
        const Order order = compare(best, list->at(i));
        if (order.failure) {
            return *order.failure;
        }
        if (order.sign == Sign) {
            best = list->at(i);
        }
    }
    return best;
}

Value list_index_of(A a) {
    const List* list = a[0].list();
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (equals(list->at(i), a[1]).is_true()) {
            return static_cast<std::int64_t>(i);
        }
    }
    return std::int64_t{-1};
}

Value list_last_index_of(A a) {
    const List* list = a[0].list();
    for (std::size_t i = list->size(); i > 0; --i) {
        if (equals(list->at(i - 1), a[1]).is_true()) {
            return static_cast<std::int64_t>(i - 1);
        }
    }
    return std::int64_t{-1};
}

bool contains_all(const Value& list, const List& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!contains(list, items.at(i)).is_true()) {
            return false;
        }
    }
    return true;
}

Value set_contains(A a) {
    return contains_all(a[0], *a[1].list());
}

Value set_equivalent(A a) {
    return contains_all(a[0], *a[1].list()) && contains_all(a[1], *a[0].list());
}

Value set_intersects(A a) {
    const List* list = a[0].list();
    for (std::size_t i = 0; i < list->size(); ++i) {
        if (contains(a[1], list->at(i)).is_true()) {
            return true;
        }
    }
    return false;
}

Value slice(A a) {
    const List* list = a[0].list();
    const auto start = a[1].get<std::int64_t>();
    const auto end = a[2].get<std::int64_t>();
    if (start < 0 || end < 0) {
        return make_failure(
            fmt::format("cannot slice({}, {}), negative indexes not supported", start, end)
        );
    }
    if (start > end) {
        return make_failure(fmt::format(
            "cannot slice({}, {}), start index must be less than or equal to end index", start, end
        ));
    }
    if (end > static_cast<std::int64_t>(list->size())) {
        return make_failure(
            fmt::format("cannot slice({}, {}), list is length {}", start, end, list->size())
        );
    }
    std::vector<Value> items;
    for (auto i = start; i < end; ++i) {
        items.push_back(list->at(static_cast<std::size_t>(i)));
    }
    return make_list(std::move(items));
}

/// Appends the items. Returns false if they exceed kMaxItems.
bool flatten_into(const List& list, std::int64_t depth, std::vector<Value>& items) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const List* nested = list.at(i).list();
        if (nested != nullptr && depth > 0) {
            if (!flatten_into(*nested, depth - 1, items)) {
                return false;
            }
        } else if (items.size() < kMaxItems) {
            items.push_back(list.at(i));
        } else {
            return false;
        }
    }
    return true;
}

Value flatten(A a) {
    const auto depth = a.size() == 2 ? a[1].get<std::int64_t>() : std::int64_t{1};
    if (depth < 0) {
        return make_failure("level must be non-negative");
    }
    std::vector<Value> items;
    return flatten_into(*a[0].list(), depth, items) ? make_list(std::move(items))
                                                    : make_failure("the list is too long");
}

Value sort(A a) {
    auto items = items_of(*a[0].list());
    for (const Value& item : items) {
        if (const Order order = compare(items[0], item); order.failure) {
            return *order.failure;
        }
    }
    std::ranges::stable_sort(items, [](const Value& x, const Value& y) {
        return compare(x, y).sign < 0;
    });
    return make_list(std::move(items));
}

Value range(A a) {
    const auto count = a[0].get<std::int64_t>();
    if (count > static_cast<std::int64_t>(kMaxItems)) {
        return make_failure("the list is too long");
    }
    std::vector<Value> items;
    items.reserve(static_cast<std::size_t>(std::max(count, std::int64_t{0})));
    for (std::int64_t i = 0; i < count; ++i) {
        items.emplace_back(i);
    }
    return make_list(std::move(items));
}

Value reverse(A a) {
    auto items = items_of(*a[0].list());
    std::ranges::reverse(items);
    return make_list(std::move(items));
}

Value distinct(A a) {
    std::vector<Value> items;
    const List* list = a[0].list();
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Value& item = list->at(i);
        if (std::ranges::none_of(items, [&](const Value& known) {
                return equals(known, item).is_true();
            })) {
            items.push_back(item);
        }
    }
    return make_list(std::move(items));
}

constexpr auto kTyped = Guard::Signature;
constexpr auto kAll = CostRule::Traversal;
constexpr auto kItems = CostRule::ResultItems;

constexpr auto kRows = std::to_array<FunctionRow>({
    {"indexOf", "list_a_index_of_int", "list(A).(A) int", list_index_of, kAll, kTyped},
    {"lastIndexOf", "list_a_last_index_of_int", "list(A).(A) int", list_last_index_of, kAll, kTyped
    },
    {"sum", "list_int_sum_int", "list(int).() int", sum<std::int64_t>, kAll, kTyped},
    {"sum", "list_uint_sum_uint", "list(uint).() uint", sum<std::uint64_t>, kAll, kTyped},
    {"sum", "list_double_sum_double", "list(double).() double", sum<double>, kAll, kTyped},
    {"sum", "list_duration_sum_duration", "list(duration).() duration", sum<Duration>, kAll, kTyped
    },
    {"sets.contains", "s", "(list(T), list(T)) bool", set_contains, CostRule::Product, kTyped},
    {"sets.equivalent", "s", "(list(T), list(T)) bool", set_equivalent, CostRule::Product, kTyped},
    {"sets.intersects", "s", "(list(T), list(T)) bool", set_intersects, CostRule::Product, kTyped},
    {"slice", "list_slice", "list(T).(int, int) list(T)", slice, kItems, kTyped},
    {"flatten", "list_flatten", "list(list(T)).() list(T)", flatten, kItems, kTyped},
    {"flatten", "list_flatten_int", "list(dyn).(int) list(dyn)", flatten, kItems, kTyped},
    {"lists.range", "lists_range", "(int) list(int)", range, kItems, kTyped},
    {"reverse", "list_reverse", "list(T).() list(T)", reverse, kItems, kTyped},
    {"distinct", "list_distinct", "list(T).() list(T)", distinct, CostRule::Square, kTyped},
});

constexpr auto kOrderedTypes = std::to_array<std::string_view>(
    {"int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"}
);

/// The rows for each type that has an order, and the signatures that they refer to.
struct OrderedRows {
    std::vector<std::string> texts;
    std::vector<FunctionRow> rows;
};

OrderedRows make_ordered_rows() {
    OrderedRows result;
    result.texts.reserve(kOrderedTypes.size() * 3);
    result.rows.assign(kRows.begin(), kRows.end());
    for (const auto type : kOrderedTypes) {
        const auto list = fmt::format("list({}).() ", type);
        const std::string_view to_bool = result.texts.emplace_back(list + "bool");
        const std::string_view to_item = result.texts.emplace_back(list + std::string(type));
        const std::string_view to_list =
            result.texts.emplace_back(list + fmt::format("list({})", type));
        result.rows.push_back({"isSorted", type, to_bool, is_sorted, kAll, kTyped});
        result.rows.push_back({"min", type, to_item, extreme<1>, kAll, kTyped});
        result.rows.push_back({"max", type, to_item, extreme<-1>, kAll, kTyped});
        result.rows.push_back({"sort", type, to_list, sort, CostRule::Square, kTyped});
    }
    return result;
}

}  // namespace

std::span<const FunctionRow> list_rows() {
    static const OrderedRows kAllRows = make_ordered_rows();
    return kAllRows.rows;
}

}  // namespace sluice::cel
