#include "job_kinds/predicate.hpp"

#include "job_kinds/number.hpp"

#include <algorithm>

namespace sluice::job_kinds {

namespace {

bool is_one_of(const json::Value& value, const std::vector<json::Value>& values) {
    return values.empty() || std::ranges::find(values, value) != values.end();
}

std::int64_t count(const Predicate& predicate, const json::Value& object) {
    std::int64_t counted = 0;
    for (const Path& path : predicate.paths) {
        for (const Found& found : path.find_all(object)) {
            counted += is_one_of(*found.value, predicate.values) ? 1 : 0;
        }
    }
    return counted;
}

bool compare(const Predicate& predicate, std::int64_t number, const json::Value& object) {
    const std::int64_t other =
        predicate.other_paths.empty() ? predicate.other : sum(predicate.other_paths, object);
    switch (predicate.comparison) {
        case Predicate::Comparison::Equals:
            return number == other;
        case Predicate::Comparison::AtLeast:
            return number >= other;
        case Predicate::Comparison::Above:
            return number > other;
    }
    return false;
}

const json::Array* conditions_of(const json::Value& object) {
    const json::Value* conditions = object.find_path({"status", "conditions"});
    return conditions != nullptr && conditions->is_array() ? &conditions->as_array() : nullptr;
}

}  // namespace

bool Predicate::holds(const json::Value& object) const {
    const auto part_holds = [&object](const Predicate& part) { return part.holds(object); };
    switch (kind) {
        case Kind::Value:
        case Kind::Count:
            return kind == Kind::Value ? count(*this, object) > 0
                                       : compare(*this, count(*this, object), object);
        case Kind::Condition: {
            const json::Value* found = find_condition(object, condition);
            return found != nullptr && found->string_at("status") == status;
        }
        case Kind::Sum:
            return compare(*this, sum(paths, object), object);
        case Kind::All:
            return std::ranges::all_of(parts, part_holds);
        case Kind::Any:
            return std::ranges::any_of(parts, part_holds);
        case Kind::Not:
            return std::ranges::none_of(parts, part_holds);
    }
    return false;
}

const json::Value* find_condition(const json::Value& object, std::string_view type) {
    const json::Array* conditions = conditions_of(object);
    if (conditions == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(*conditions, [type](const json::Value& condition) {
        return condition.is_object() && condition.string_at("type") == type;
    });
    return found == conditions->end() ? nullptr : &*found;
}

std::optional<std::size_t> first_true_condition(const Predicate& any, const json::Value& object) {
    const json::Array* conditions = conditions_of(object);
    const bool is_any = any.kind == Predicate::Kind::Any;
    const auto is_condition = [](const Predicate& part) {
        return part.kind == Predicate::Kind::Condition;
    };
    if (conditions == nullptr ||
        !(is_any ? std::ranges::all_of(any.parts, is_condition) : is_condition(any))) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < conditions->size(); ++i) {
        const json::Value& one = (*conditions)[i];
        const auto matches = [&one](const Predicate& part) {
            return one.is_object() && one.string_at("type") == part.condition &&
                   one.string_at("status") == part.status;
        };
        if (is_any ? std::ranges::any_of(any.parts, matches) : matches(any)) {
            return i;
        }
    }
    return std::nullopt;
}

}  // namespace sluice::job_kinds
