#include "api/kueue/conditions.hpp"

#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <utility>

namespace sluice::api {
namespace {

template <class T>
const T* find(const std::vector<T>& conditions, std::string_view type) {
    const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const T& condition) {
        return condition.type_ == type;
    });
    return found == conditions.end() ? nullptr : &*found;
}

template <class T>
bool has_status(const std::vector<T>& conditions, std::string_view type, std::string_view status) {
    const T* condition = find(conditions, type);
    return condition != nullptr && condition->status == status;
}

}  // namespace

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
    return find(conditions, type);
}

const ObjectCondition* find_condition(
    const std::vector<ObjectCondition>& conditions, std::string_view type
) {
    return find(conditions, type);
}

bool is_true(const std::vector<Condition>& conditions, std::string_view type) {
    return has_status(conditions, type, condition_status::kTrue);
}

bool is_true(const std::vector<ObjectCondition>& conditions, std::string_view type) {
    return has_status(conditions, type, condition_status::kTrue);
}

bool set_condition(std::vector<Condition>& conditions, Condition condition) {
    for (Condition& old : conditions) {
        if (old.type_ != condition.type_) {
            continue;
        }
        if (old.status == condition.status && old.last_transition_time) {
            condition.last_transition_time = old.last_transition_time;
        }
        if (old == condition) {
            return false;
        }
        old = std::move(condition);
        return true;
    }
    conditions.push_back(std::move(condition));
    return true;
}

}  // namespace sluice::api
