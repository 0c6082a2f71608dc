#include "cel/syntax/overload.hpp"
#include "cel/values/operations.hpp"

#include <array>

namespace sluice::cel {
namespace {

using A = const Arguments&;

/// The implementation of functions that the interpreter evaluates itself, because it may skip an
/// argument.
Value never_called(A) {
    return no_such_overload();
}

Value make_of(A a) {
    return make_optional(a[0]);
}

Value make_of_non_zero(A a) {
    return is_zero_value(a[0]) ? Value(Optional{}) : make_optional(a[0]);
}

Value make_none(A) {
    return Optional{};
}

Value get_value(A a) {
    const auto& value = a[0].get<Optional>().value;
    return value != nullptr ? *value : make_failure("optional.none() dereference");
}

Value has_value(A a) {
    return a[0].get<Optional>().value != nullptr;
}

Value first(A a) {
    const List* list = a[0].list();
    return list->size() == 0 ? Value(Optional{}) : make_optional(list->at(0));
}

Value last(A a) {
    const List* list = a[0].list();
    return list->size() == 0 ? Value(Optional{}) : make_optional(list->at(list->size() - 1));
}

Value unwrap(A a) {
    std::vector<Value> values;
    const List* list = a[0].list();
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto* optional = list->at(i).get_if<Optional>();
        if (optional == nullptr) {
            return no_such_overload();
        }
        if (optional->value != nullptr) {
            values.push_back(*optional->value);
        }
    }
    return make_list(std::move(values));
}

constexpr auto kTyped = Guard::Signature;
constexpr auto kUnit = CostRule::Unit;

constexpr auto kRows = std::to_array<FunctionRow>({
    {"_?._", "select_optional_field", "(dyn, string) optional_type(V)", never_called},
    {"optional.of", "optional_of", "(V) optional_type(V)", make_of},
    {"optional.ofNonZeroValue", "optional_ofNonZeroValue", "(V) optional_type(V)", make_of_non_zero
    },
    {"optional.none", "optional_none", "() optional_type(V)", make_none},
    {"value", "optional_value", "optional_type(V).() V", get_value, kUnit, kTyped},
    {"hasValue", "optional_hasValue", "optional_type(V).() bool", has_value, kUnit, kTyped},
    {"or",
     "optional_or_optional",
     "optional_type(V).(optional_type(V)) optional_type(V)",
     never_called},
    {"orValue", "optional_orValue_value", "optional_type(V).(V) V", never_called},
    {"first", "list_first", "list(V).() optional_type(V)", first, kUnit, kTyped},
    {"last", "list_last", "list(V).() optional_type(V)", last, kUnit, kTyped},
    {"optional.unwrap", "optional_unwrap", "(list(optional_type(V))) list(V)", unwrap, kUnit, kTyped
    },
    {"unwrapOpt", "optional_unwrapOpt", "list(optional_type(V)).() list(V)", unwrap, kUnit, kTyped},
});

}  // namespace

std::span<const FunctionRow> optional_rows() {
    return kRows;
}

}  // namespace sluice::cel
