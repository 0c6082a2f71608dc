#include "sim/apps/replica_set.hpp"

#include "sim/job/job_pod.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::sim {

namespace {

json::Value make_replica_set_status(
    const Turn& turn,
    const std::vector<const json::Value*>& active,
    std::int64_t terminating,
    Outcome& outcome
) {
    const json::Value& set = turn.object;
    const auto ready = static_cast<std::int64_t>(
        std::ranges::count_if(active, [](const json::Value* pod) { return is_ready_pod(*pod); })
    );
    const auto count = static_cast<std::int64_t>(active.size());
    json::Value status = json::Object{{"replicas", count}};
    if (count > 0) {
        status.set("fullyLabeledReplicas", count);
    }
    if (ready > 0) {
        status.set("readyReplicas", ready);
    }
    const Availability available = find_availability(set, active, turn);
    if (available.count > 0) {
        status.set("availableReplicas", available.count);
    }
    outcome.again_at = available.next;
    if (set.string_at("kind") == "ReplicaSet") {
        status.set("terminatingReplicas", terminating);
    }
    status.set("observedGeneration", find_int(set, {"metadata", "generation"}).value_or(1));
    return status;
}

}  // namespace

Outcome reconcile_replica_set(const Turn& turn) {
    Outcome outcome;
    const json::Value& set = turn.object;
    std::vector<const json::Value*> active = turn.owned_of("Pod");
    const auto terminating =
        static_cast<std::int64_t>(std::ranges::count_if(active, [](const json::Value* pod) {
            return is_deleted(*pod) && !has_ended(*pod);
        }));
    std::erase_if(active, [](const json::Value* pod) { return !is_active_pod(*pod); });
    const std::int64_t wanted = find_int(set, {"spec", "replicas"}).value_or(1);
    const json::Value* pod_template = set.find_path({"spec", "template"});
    if (!is_deleted(set) && pod_template != nullptr) {
        const std::int64_t missing = std::min(wanted - std::ssize(active), kPodsAtOnce);
        for (std::int64_t i = 0; i < missing; ++i) {
            Write write =
                creation(make_owned_pod(set, *pod_template, fmt::format("{}-", name_of(set))));
            write.asks_webhooks = true;
            outcome.writes.push_back(std::move(write));
        }
        if (std::ssize(active) > wanted) {
            JobPods surplus;
            std::ranges::transform(active, std::back_inserter(surplus), [](const auto* pod) {
                return JobPod::make(*pod);
            });
            sort_for_removal(surplus);
            surplus.resize(
                static_cast<std::size_t>(std::min(std::ssize(active) - wanted, kPodsAtOnce))
            );
            for (const JobPod& pod : surplus) {
                outcome.writes.push_back(deletion(*pod.object));
            }
        }
    }
    json::Value status = make_replica_set_status(turn, active, terminating, outcome);
    if (std::ssize(active) < wanted) {
        // The condition ReplicaFailure stays until all pods have been created.
        if (const json::Value* conditions = set.find_path({"status", "conditions"})) {
            status.set("conditions", *conditions);
        }
    }
    replace_status(set, std::move(status), outcome);
    return outcome;
}

Outcome reconcile_replication_controller(const Turn& turn) {
    return reconcile_replica_set(turn);
}

}  // namespace sluice::sim
