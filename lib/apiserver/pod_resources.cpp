#include "apiserver/pod_resources.hpp"

#include "apiserver/values.hpp"

#include <algorithm>

namespace sluice::apiserver {

namespace {

void add(api::ResourceList& sum, const api::ResourceList& more) {
    for (const auto& [name, amount] : more) {
        const auto [at, is_new] = sum.emplace(name, amount);
        if (!is_new) {
            at->second += amount;
        }
    }
}

void raise(api::ResourceList& most, const api::ResourceList& other) {
    for (const auto& [name, amount] : other) {
        const auto [at, is_new] = most.emplace(name, amount);
        at->second = std::max(at->second, amount);
    }
}

}  // namespace

api::ResourceList read_amounts(const json::Value* list) {
    api::ResourceList amounts;
    for (const auto& [name, value] : members_of(list)) {
        const auto amount =
            api::Quantity::parse(value.is_string() ? value.as_string() : json::print(value));
        if (amount) {
            amounts.emplace(name, *amount);
        }
    }
    return amounts;
}

json::Value print_amounts(const api::ResourceList& amounts) {
    json::Value list = json::Object();
    for (const auto& [name, amount] : amounts) {
        list.set(name, amount.to_string());
    }
    return list;
}

api::ResourceList pod_amounts(const json::Value& pod, std::string_view side) {
    api::ResourceList sum;
    for (const json::Value& container : items_of(pod.find_path({"spec", "containers"}))) {
        add(sum, read_amounts(container.find_path({"resources", side})));
    }
    // Init containers that are restarted run beside those that come after them.
    api::ResourceList beside;
    api::ResourceList most;
    for (const json::Value& container : items_of(pod.find_path({"spec", "initContainers"}))) {
        api::ResourceList own = read_amounts(container.find_path({"resources", side}));
        if (container.string_at("restartPolicy") == "Always") {
            add(sum, own);
            add(beside, own);
            own = beside;
        } else {
            add(own, beside);
        }
        raise(most, own);
    }
    raise(sum, most);
    const api::ResourceList overhead = read_amounts(pod.find_path({"spec", "overhead"}));
    for (const auto& [name, amount] : overhead) {
        // Where there is no limit, the overhead makes none.
        if (side == "requests" || sum.contains(name)) {
            add(sum, {{name, amount}});
        }
    }
    return sum;
}

}  // namespace sluice::apiserver
