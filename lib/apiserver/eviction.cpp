#include "apiserver/eviction.hpp"

#include "api/micro_time.hpp"
#include "apiserver/body.hpp"
#include "apiserver/deletion.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/rule_matching.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using json::Value;

const Collection budgets_collection{"policy", "poddisruptionbudgets"};

bool is_ready(const Value& pod) {
    return std::ranges::any_of(
        items_of(pod.find_path({"status", "conditions"})),
        [](const Value& each) {
            return each.string_at("type") == "Ready" && each.string_at("status") == "True";
        }
    );
}

/// Whether nobody loses anything by its end.
bool is_idle(const Value& pod) {
    const Value* status = pod.find("status");
    const auto phase = status == nullptr ? std::string_view() : status->string_at("phase");
    return phase == "Pending" || phase == "Succeeded" || phase == "Failed" ||
           pod.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

std::vector<std::pair<ObjectName, Snapshot>> find_budgets(
    const State& state, const std::string& ns, const Value& pod
) {
    std::vector<std::pair<ObjectName, Snapshot>> found;
    for (const auto& [name, budget] : state.store.objects(budgets_collection)) {
        const Value* selector = budget->find_path({"spec", "selector"});
        if (name.ns == ns && selector != nullptr &&
            selects_labels(selector, pod.find_path({"metadata", "labels"}))) {
            found.emplace_back(name, budget);
        }
    }
    return found;
}

Error too_many_disruptions(const std::string& message) {
    return make_failure(
        429,
        "TooManyRequests",
        "Cannot evict pod as it would violate the pod's disruption budget.",
        json::Object{
            {"causes",
             json::Array{json::Object{{"reason", "DisruptionBudget"}, {"message", message}}}}
        }
    );
}

/// Takes one disruption from the budget.
Result<void> take_disruption(
    State& state,
    const ObjectName& name,
    const Value& budget,
    const Value& pod,
    bool is_dry,
    Time now
) {
    static const Value kNone = json::Object{};
    const Value* found = budget.find("status");
    const Value& status = found == nullptr ? kNone : *found;
    const std::int64_t allowed = int_at(status, "disruptionsAllowed", 0);
    const std::int64_t healthy = int_at(status, "currentHealthy", 0);
    const std::int64_t desired = int_at(status, "desiredHealthy", 0);
    const Value* policy = budget.find_path({"spec", "unhealthyPodEvictionPolicy"});
    const bool always = policy != nullptr && *policy == Value("AlwaysAllow");
    const bool is_enough = healthy >= desired && desired > 0;
    if (!is_ready(pod) && (always || is_enough)) {
        return {};  // it is not among the healthy ones
    }
    const std::int64_t generation = int_at(*budget.find("metadata"), "generation", 1);
    if (int_at(status, "observedGeneration", 0) < generation) {
        return too_many_disruptions(fmt::format(
            "The disruption budget {} is still being processed by the server.", name.name
        ));
    }
    if (allowed < 1) {
        return too_many_disruptions(fmt::format(
            "The disruption budget {} needs {} healthy pods and has {} currently",
            name.name,
            desired,
            healthy
        ));
    }
    if (!is_dry) {
        Value changed = budget;
        Value& counted = object_at(changed, "status");
        counted.set("disruptionsAllowed", allowed - 1);
        object_at(counted, "disruptedPods")
            .set(pod.find("metadata")->string_at("name"), api::to_string(now));
        state.store.put(budgets_collection, name, std::move(changed));
    }
    return {};
}

void note_disruption(State& state, const ObjectName& name, const Value& pod, Time now) {
    Value changed = pod;
    Value& status = object_at(changed, "status");
    json::Array conditions = items_of(status.find("conditions"));
    std::erase_if(conditions, [](const Value& each) {
        return each.string_at("type") == "DisruptionTarget";
    });
    conditions.emplace_back(json::Object{
        {"type", "DisruptionTarget"},
        {"status", "True"},
        {"lastProbeTime", nullptr},
        {"lastTransitionTime", api::to_string(now)},
        {"reason", "EvictionByEvictionAPI"},
        {"message", "Eviction API: evicting"}
    });
    status.set("conditions", std::move(conditions));
    state.store.put({"", "pods"}, name, std::move(changed));
}

}  // namespace

Response make_created() {
    return make_response(
        json::Object{
            {"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", json::Object()},
            {"status", "Success"},
            {"code", 201}
        },
        201
    );
}

Response evict_pod(State& state, const Request& request, const Route& route, Time now) {
    const ObjectName name{route.ns, route.name};
    const Snapshot pod = state.store.find({"", "pods"}, name);
    if (!pod) {
        return make_response(not_found(*route.type, route.name));
    }
    auto body = read_body(request, "Eviction");
    if (!body) {
        return make_response(body.error());
    }
    const Value* options = body->object.find("deleteOptions");
    const bool is_dry =
        request.is_dry_run() || (options != nullptr && !items_of(options->find("dryRun")).empty());
    if (!is_idle(*pod)) {
        const auto budgets = find_budgets(state, route.ns, *pod);
        if (budgets.size() > 1) {
            return make_response(internal(
                "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                "does not support."
            ));
        }
        for (const auto& [key, budget] : budgets) {
            if (auto taken = take_disruption(state, key, *budget, *pod, is_dry, now); !taken) {
                return make_response(taken.error());
            }
        }
        if (!is_dry) {
            note_disruption(state, name, *pod, now);
        }
    }
    Route whole = route;
    whole.subresource.clear();
    Request deletion = request;
    deletion.method = "DELETE";
    deletion.content_type = "application/json";
    deletion.body = options == nullptr ? std::string() : json::print(*options);
    if (is_dry) {
        deletion.query.emplace("dryRun", "All");
    }
    Response gone = delete_objects(state, deletion, whole, now);
    return gone.status >= 400 ? gone : make_created();
}

}  // namespace sluice::apiserver
