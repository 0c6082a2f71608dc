#include "sim/objects/conditions.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/objects/fields.hpp"

#include <algorithm>
#include <string>

namespace sluice::sim {

json::Array conditions_of(const json::Value& object) {
    return list_at(object, {"status", "conditions"});
}

void set_condition(json::Array& conditions, const ConditionText& wanted, Time now) {
    const std::string_view status = wanted.is_unknown ? "Unknown"
                                    : wanted.status   ? "True"
                                                      : "False";
    const auto known = std::ranges::find_if(conditions, [&](const json::Value& each) {
        return each.string_at("type") == wanted.type;
    });
    const bool keeps_time = known != conditions.end() && known->string_at("status") == status;
    const json::Value made = json::Object{
        {"type", wanted.type},
        {"status", status},
        {"reason", wanted.reason},
        {"message", wanted.message},
        {"lastTransitionTime",
         keeps_time ? std::string(known->string_at("lastTransitionTime")) : api::to_string(now)}
    };
    if (known == conditions.end()) {
        conditions.push_back(made);
    } else {
        *known = made;
    }
}

void unset_condition(json::Array& conditions, const ConditionText& wanted, Time now) {
    if (find_element(conditions, "type", wanted.type) != nullptr) {
        ConditionText text = wanted;
        text.status = false;
        set_condition(conditions, text, now);
    }
}

}  // namespace sluice::sim
