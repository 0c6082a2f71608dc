#include "controller/jobs/described/restarts.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace sluice::controller {

namespace {

std::int64_t restarts_in(const json::Value* object, std::string_view member) {
    const json::Value* value = object == nullptr ? nullptr : object->find(member);
    return value != nullptr && value->is_int() ? value->as_int() : 0;
}

bool has_unlimited_rule(const json::Value& policy) {
    const json::Value* rules = policy.find("rules");
    return rules != nullptr && rules->is_array() &&
           std::ranges::any_of(rules->as_array(), [](const json::Value& rule) {
               return rule.is_object() &&
                      rule.string_at("action") == "RestartJobSetAndIgnoreMaxRestarts";
           });
}

}  // namespace

bool may_restart(const json::Value& spec, const json::Value* status) {
    const json::Value* policy = spec.find("failurePolicy");
    if (policy == nullptr || !policy->is_object()) {
        return false;
    }
    return has_unlimited_rule(*policy) ||
           restarts_in(policy, "maxRestarts") > restarts_in(status, "restartsCountTowardsMax");
}

}  // namespace sluice::controller
