#include "api/kueue/conditions.hpp"

#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <utility>

namespace sluice::api {

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
    const auto found = std::ranges::find(conditions, type, &Condition::type_);
    return found == conditions.end() ? nullptr : &*found;
}

bool is_true(const std::vector<Condition>& conditions, std::string_view type) {
    const Condition* condition = find_condition(conditions, type);
    return condition != nullptr && condition->status == condition_status::kTrue;
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
