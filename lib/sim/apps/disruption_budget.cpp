#include "sim/apps/disruption_budget.hpp"

#include "api/micro_time.hpp"
#include "sim/fields.hpp"
#include "sim/owned.hpp"
#include "sim/pod_life.hpp"
#include "sim/selection.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

using json::Value;

/// So long an eviction may take until the pod is gone.
constexpr Duration kEvictionTime = std::chrono::minutes(2);

/// A number, or that share of a whole, rounded up.
std::int64_t scaled(const Value& amount, std::int64_t whole) {
    if (amount.is_int()) {
        return amount.as_int();
    }
    std::int64_t percent = 0;
    const std::string& text = amount.as_string();
    std::from_chars(text.data(), text.data() + text.size(), percent);
    return (percent * whole + 99) / 100;
}

/// How many pods the controllers of these are to have; none: one of them has no controller.
std::optional<std::int64_t> count_wanted(
    const Turn& turn, const std::vector<apiserver::Snapshot>& pods
) {
    std::map<std::string, std::int64_t> wanted;
    for (const apiserver::Snapshot& pod : pods) {
        const Value* owner = nullptr;
        for (const Value& each : list_at(*pod, {"metadata", "ownerReferences"})) {
            owner = is_true_at(each, {"controller"}) ? &each : owner;
        }
        if (owner == nullptr) {
            return std::nullopt;
        }
        const Value found = turn.find(
            owner->string_at("apiVersion"), owner->string_at("kind"), owner->string_at("name")
        );
        wanted[std::string(owner->string_at("uid"))] =
            found.is_null() ? 0 : find_int(found, {"spec", "replicas"}).value_or(1);
    }
    std::int64_t sum = 0;
    for (const auto& [uid, replicas] : wanted) {
        sum += replicas;
    }
    return sum;
}

/// Pods that are being evicted and are still there.
Value keep_disrupted(const Value& budget, const std::vector<apiserver::Snapshot>& pods, Time now) {
    Value kept = json::Object();
    const Value* disrupted = budget.find_path({"status", "disruptedPods"});
    if (disrupted == nullptr || !disrupted->is_object()) {
        return kept;
    }
    for (const apiserver::Snapshot& pod : pods) {
        const std::string name(name_of(*pod));
        const auto since = find_time(*disrupted, {name});
        if (since && !is_deleted(*pod) && now < *since + kEvictionTime) {
            kept.set(name, *disrupted->find(name));
        }
    }
    return kept;
}

Value condition_of(const Value& budget, bool may_disrupt, std::string_view reason, Time now) {
    const Value* known =
        find_element(list_at(budget, {"status", "conditions"}), "type", "DisruptionAllowed");
    const std::string_view status = may_disrupt ? "True" : "False";
    const bool is_same = known != nullptr && known->string_at("status") == status;
    return json::Object{
        {"type", "DisruptionAllowed"},
        {"status", status},
        {"observedGeneration", find_int(budget, {"metadata", "generation"}).value_or(1)},
        {"lastTransitionTime",
         is_same ? std::string(known->string_at("lastTransitionTime")) : api::to_string(now)},
        {"reason", reason},
        {"message", ""}
    };
}

}  // namespace

Outcome reconcile_disruption_budget(const Turn& turn) {
    Outcome outcome;
    const Value& budget = turn.object;
    std::vector<apiserver::Snapshot> pods = turn.list({"", "pods"});
    std::erase_if(pods, [&budget](const apiserver::Snapshot& pod) {
        return has_ended(*pod) || !is_selected(*pod, budget.find_path({"spec", "selector"}));
    });
    const Value* most_missing = budget.find_path({"spec", "maxUnavailable"});
    const Value* least = budget.find_path({"spec", "minAvailable"});
    const bool is_share = most_missing != nullptr || (least != nullptr && least->is_string());
    const auto wanted = is_share ? count_wanted(turn, pods) : std::ssize(pods);
    const Value disrupted = keep_disrupted(budget, pods, turn.now);
    const auto healthy = std::ranges::count_if(pods, [&](const apiserver::Snapshot& pod) {
        return is_ready_pod(*pod) && !is_deleted(*pod) && disrupted.find(name_of(*pod)) == nullptr;
    });
    const std::int64_t expected = wanted.value_or(0);
    std::int64_t needed = least == nullptr ? 0 : scaled(*least, expected);
    if (most_missing != nullptr) {
        needed = std::max<std::int64_t>(0, expected - scaled(*most_missing, expected));
    }
    const std::int64_t allowed =
        wanted && expected > 0 ? std::max<std::int64_t>(0, healthy - needed) : 0;
    Value status = json::Object{
        {"observedGeneration", find_int(budget, {"metadata", "generation"}).value_or(1)}
    };
    if (!disrupted.as_object().empty()) {
        status.set("disruptedPods", disrupted);
        outcome.again_at = turn.now + kEvictionTime;
    }
    status.set("disruptionsAllowed", allowed);
    status.set("currentHealthy", static_cast<std::int64_t>(healthy));
    status.set("desiredHealthy", needed);
    status.set("expectedPods", expected);
    const std::string_view reason = !wanted       ? "SyncFailed"
                                    : allowed > 0 ? "SufficientPods"
                                                  : "InsufficientPods";
    json::Array conditions;
    std::ranges::copy_if(
        list_at(budget, {"status", "conditions"}),
        std::back_inserter(conditions),
        [](const Value& each) { return each.string_at("type") != "DisruptionAllowed"; }
    );
    conditions.push_back(condition_of(budget, allowed > 0, reason, turn.now));
    status.set("conditions", std::move(conditions));
    replace_status(budget, std::move(status), outcome);
    return outcome;
}

}  // namespace sluice::sim
