#include "sim/pods/pod_life.hpp"

#include "api/core/effective_requests.hpp"
#include "api/core/node_affinity.hpp"
#include "api/core/pod.hpp"
#include "api/core/taint.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/micro_time.hpp"
#include "api/meta/quantity.hpp"
#include "apiserver/rules/pod_resources.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/pod_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sluice::sim {

namespace {

constexpr std::int64_t kKilled = 137;
/// Minimum run time of containers that are restarted.
constexpr Duration kRestartMin = std::chrono::seconds(1);

Amounts to_amounts(const api::ResourceList& list) {
    Amounts amounts;
    for (const auto& [resource, quantity] : list) {
        amounts[resource] = quantity.billionths();
    }
    return amounts;
}

json::Value condition(std::string_view type, bool status, Time now) {
    return json::Object{
        {"type", type},
        {"status", status ? "True" : "False"},
        {"lastTransitionTime", api::to_string(now)}
    };
}

/// Returns true if the conditions of the pod's readiness gates are True.
bool passes_gates(const json::Value& pod) {
    const json::Array& conditions = list_at(pod, {"status", "conditions"});
    return std::ranges::all_of(
        list_at(pod, {"spec", "readinessGates"}),
        [&conditions](const json::Value& gate) {
            const json::Value* known =
                find_element(conditions, "type", gate.string_at("conditionType"));
            return known != nullptr && known->string_at("status") == "True";
        }
    );
}

bool has_ready_containers(const json::Value& pod) {
    return std::ranges::none_of(list_at(pod, {"spec", "containers"}), fails_readiness_probe);
}

json::Array pod_conditions(const json::Value& pod, bool is_running, Time now) {
    json::Array conditions;
    const auto add = [&](std::string_view type, bool status) {
        const json::Value* known =
            find_element(list_at(pod, {"status", "conditions"}), "type", type);
        const bool is_same = known != nullptr && (known->string_at("status") == "True") == status;
        json::Value made = is_same ? *known : condition(type, status, now);
        made.set("observedGeneration", generation_of(pod));
        conditions.push_back(std::move(made));
    };
    for (const json::Value& each : list_at(pod, {"status", "conditions"})) {
        const std::string_view type = each.string_at("type");
        const bool is_ours = type == "Ready" || type == "ContainersReady" ||
                             type == "Initialized" || type == "PodReadyToStartContainers";
        if (!is_ours) {
            conditions.push_back(each);
        }
        if (type == "PodScheduled") {
            conditions.back().set("observedGeneration", generation_of(pod));
        }
    }
    const bool has_ready = is_running && has_ready_containers(pod);
    add("PodReadyToStartContainers", is_running);
    add("Initialized", true);
    add("Ready", has_ready && passes_gates(pod));
    add("ContainersReady", has_ready);
    return conditions;
}

std::int64_t restarts_of(const json::Value& pod) {
    std::int64_t most = 0;
    for (const json::Value& status : list_at(pod, {"status", "containerStatuses"})) {
        most = std::max(most, find_int(status, {"restartCount"}).value_or(0));
    }
    return most;
}

json::Array statuses_of(
    const json::Value& pod, const json::Value& state, bool is_ready, std::int64_t restarts
) {
    json::Array statuses;
    for (const json::Value& container : list_at(pod, {"spec", "containers"})) {
        statuses.emplace_back(json::Object{
            {"name", container.string_at("name")},
            {"image", container.string_at("image")},
            {"imageID", ""},
            {"ready", is_ready && !fails_readiness_probe(container)},
            {"started", is_ready},
            {"restartCount", restarts},
            {"lastState", json::Object()},
            {"state", state}
        });
    }
    return statuses;
}

Write status_write(const json::Value& pod, json::Value status) {
    return {
        .verb = Write::Verb::PatchStatus,
        .name = std::string(text_at(pod, {"metadata", "name"})),
        .body = json::Object{{"status", std::move(status)}}
    };
}

Write run(const json::Value& pod, Time now) {
    const json::Value running =
        json::Object{{"running", json::Object{{"startedAt", api::to_string(now)}}}};
    return status_write(
        pod,
        json::Object{
            {"phase", "Running"},
            {"startTime", api::to_string(now)},
            {"observedGeneration", generation_of(pod)},
            {"conditions", pod_conditions(pod, true, now)},
            {"containerStatuses", statuses_of(pod, running, true, 0)}
        }
    );
}

/// Records an event for each annotation about the pod's run that cannot be read.
void record_odd_annotations(const json::Value& pod, Outcome& outcome) {
    for (const std::string_view name : {kRunSeconds, kExitCode, kStopSeconds}) {
        const json::Value* said = pod.find_path({"metadata", "annotations", name});
        if (said != nullptr && !annotated_number(pod, name)) {
            outcome.notes.push_back(
                {true,
                 "InvalidAnnotation",
                 fmt::format("{}: {} is not a number and is ignored", name, json::print(*said))}
            );
        }
    }
}

/// Returns the write that restarts the ended containers.
Write restart(const json::Value& pod, Time now) {
    const json::Value running =
        json::Object{{"running", json::Object{{"startedAt", api::to_string(now)}}}};
    return status_write(
        pod,
        json::Object{{"containerStatuses", statuses_of(pod, running, true, restarts_of(pod) + 1)}}
    );
}

/// Updates the readiness of a running pod by its readiness gates, and the generation that its
/// kubelet has observed.
std::optional<Write> follow_changes(const json::Value& pod, Time now) {
    const json::Value* known =
        find_element(list_at(pod, {"status", "conditions"}), "type", "Ready");
    const bool is_known = known != nullptr && known->string_at("status") == "True";
    const bool is_seen =
        find_int(pod, {"status", "observedGeneration"}).value_or(0) == generation_of(pod);
    const bool is_ready = has_ready_containers(pod) && passes_gates(pod);
    if (known == nullptr || (is_seen && is_known == is_ready)) {
        return std::nullopt;
    }
    return status_write(
        pod,
        json::Object{
            {"observedGeneration", generation_of(pod)},
            {"conditions", pod_conditions(pod, true, now)}
        }
    );
}

/// Returns the time of the last start of the containers.
std::optional<Time> running_since(const json::Value& pod) {
    const json::Array& statuses = list_at(pod, {"status", "containerStatuses"});
    const auto started = statuses.empty()
                             ? std::nullopt
                             : find_time(statuses.front(), {"state", "running", "startedAt"});
    return started ? started : find_time(pod, {"status", "startTime"});
}

Write end(const json::Value& pod, std::int64_t exit_code, Time now) {
    const std::string started(text_at(pod, {"status", "startTime"}));
    const json::Value terminated = json::Object{
        {"terminated",
         json::Object{
             {"exitCode", exit_code},
             {"reason", exit_code == 0 ? "Completed" : "Error"},
             {"startedAt", started.empty() ? api::to_string(now) : started},
             {"finishedAt", api::to_string(now)}
         }}
    };
    return status_write(
        pod,
        json::Object{
            {"phase", exit_code == 0 ? "Succeeded" : "Failed"},
            {"conditions", pod_conditions(pod, false, now)},
            {"containerStatuses", statuses_of(pod, terminated, false, restarts_of(pod))}
        }
    );
}

/// Starts ephemeral containers, which users add for debugging.
std::optional<Write> run_ephemeral(const json::Value& pod, Time now) {
    const json::Array& wanted = list_at(pod, {"spec", "ephemeralContainers"});
    json::Array statuses = list_at(pod, {"status", "ephemeralContainerStatuses"});
    const std::size_t known = statuses.size();
    for (const json::Value& container : wanted) {
        if (find_element(statuses, "name", container.string_at("name")) == nullptr) {
            statuses.emplace_back(json::Object{
                {"name", container.string_at("name")},
                {"image", container.string_at("image")},
                {"imageID", ""},
                {"ready", false},
                {"restartCount", 0},
                {"lastState", json::Object()},
                {"state",
                 json::Object{{"running", json::Object{{"startedAt", api::to_string(now)}}}}}
            });
        }
    }
    if (statuses.size() == known) {
        return std::nullopt;
    }
    return status_write(pod, json::Object{{"ephemeralContainerStatuses", std::move(statuses)}});
}

/// Returns the end of activeDeadlineSeconds.
std::optional<Time> find_deadline(const json::Value& pod, const Pace& pace) {
    const auto seconds = find_int(pod, {"spec", "activeDeadlineSeconds"});
    const auto started = find_time(pod, {"status", "startTime"});
    return seconds && started ? std::optional<Time>(later(*started, pace.scale_seconds(*seconds)))
                              : std::nullopt;
}

Write exceed_deadline(const json::Value& pod, Time now) {
    Write write = end(pod, kKilled, now);
    json::Value& status = *write.body.find("status");
    status.set("phase", "Failed");
    status.set("reason", "DeadlineExceeded");
    status.set("message", "Pod was active on the node longer than the specified deadline");
    return write;
}

/// Returns true if the pod was deleted without a grace period: only finalizers keep it.
bool is_being_removed(const json::Value& pod) {
    return pod.find_path({"metadata", "deletionTimestamp"}) != nullptr &&
           find_int(pod, {"metadata", "deletionGracePeriodSeconds"}).value_or(0) == 0;
}

/// Returns the write by which the kubelet removes a pod after its containers have ended.
Write removal(const json::Value& pod) {
    return {
        .verb = Write::Verb::Delete,
        .name = std::string(text_at(pod, {"metadata", "name"})),
        .body = json::Object{{"gracePeriodSeconds", 0}}
    };
}

Outcome stop(const json::Value& pod, Time deadline, const Pace& pace, Time now) {
    Outcome outcome;
    const auto grace = find_int(pod, {"metadata", "deletionGracePeriodSeconds"}).value_or(0);
    const auto stop_time = annotated_number(pod, kStopSeconds).value_or(0);
    const Time end_time =
        later(later(deadline, -to_duration(grace)), pace.scale_seconds(std::min(grace, stop_time)));
    if (!has_ended(pod) && now < end_time) {
        outcome.again_at = end_time;
        return outcome;
    }
    if (!has_ended(pod)) {
        outcome.writes.push_back(end(pod, kKilled, now));
    }
    if (!is_being_removed(pod)) {
        outcome.writes.push_back(removal(pod));
    }
    return outcome;
}

}  // namespace

std::int64_t generation_of(const json::Value& pod) {
    return find_int(pod, {"metadata", "generation"}).value_or(1);
}

Amounts requests_of(const json::Value& pod) {
    const json::Value* spec = pod.find("spec");
    Amounts requests;
    if (spec != nullptr) {
        requests = to_amounts(api::pod_requests(apiserver::read_pod_resources(*spec)));
    }
    requests["pods"] += api::Quantity(1).billionths();
    return requests;
}

Amounts room_of(const json::Value& node) {
    return to_amounts(apiserver::read_amounts(node.find_path({"status", "allocatable"})));
}

NodeDemands::NodeDemands(const json::Value& pod) {
    const json::Value* spec = pod.find("spec");
    auto wanted = api::from_value<api::PodSpec>(spec == nullptr ? json::Object() : *spec);
    if (!wanted) {
        return;
    }
    is_readable_ = true;
    node_selector_ = std::move(wanted->node_selector);
    tolerations_ = std::move(wanted->tolerations);
    const json::Value* affinity = pod.find_path(
        {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"}
    );
    if (affinity != nullptr) {
        has_affinity_ = true;
        if (auto selector = api::from_value<api::NodeSelector>(*affinity)) {
            affinity_ = std::move(*selector);
        }
    }
}

std::string NodeDemands::find_obstacle(const json::Value& node) const {
    if (!is_readable_) {
        return "the pod cannot be read";
    }
    const api::Taint unschedulable{
        .key = "node.kubernetes.io/unschedulable",
        .value = {},
        .effect = "NoSchedule",
        .time_added = std::nullopt
    };
    if (is_true_at(node, {"spec", "unschedulable"}) &&
        api::find_untolerated_taint({unschedulable}, tolerations_) != nullptr) {
        return "node(s) were unschedulable";
    }
    api::StringMap labels;
    if (const json::Value* all = node.find_path({"metadata", "labels"});
        all != nullptr && all->is_object()) {
        for (const auto& [key, value] : all->as_object()) {
            labels.emplace(key, value.is_string() ? value.as_string() : std::string());
        }
    }
    for (const auto& [key, value] : node_selector_) {
        const auto found = labels.find(key);
        if (found == labels.end() || found->second != value) {
            return "node(s) didn't match Pod's node affinity/selector";
        }
    }
    const std::string_view name = text_at(node, {"metadata", "name"});
    if (has_affinity_ && (!affinity_ || !api::matches(*affinity_, labels, name))) {
        return "node(s) didn't match Pod's node affinity/selector";
    }
    std::vector<api::Taint> taints;
    for (const json::Value& each : list_at(node, {"spec", "taints"})) {
        if (auto taint = api::from_value<api::Taint>(each)) {
            taints.push_back(std::move(*taint));
        }
    }
    const api::Taint* taint = api::find_untolerated_taint(taints, tolerations_);
    return taint == nullptr
               ? std::string()
               : fmt::format("node(s) had untolerated taint {{{}: {}}}", taint->key, taint->value);
}

bool has_ended(const json::Value& pod) {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
}

Outcome run_pod(const json::Value& pod, const Pace& pace, std::optional<Time> started, Time now) {
    Outcome outcome;
    if (const auto deleted = find_time(pod, {"metadata", "deletionTimestamp"})) {
        return stop(pod, *deleted, pace, now);
    }
    if (has_ended(pod)) {
        return outcome;
    }
    if (text_at(pod, {"status", "phase"}) != "Running") {
        outcome.writes.push_back(run(pod, now));
        record_odd_annotations(pod, outcome);
        return outcome;
    }
    if (auto write = follow_changes(pod, now)) {
        outcome.writes.push_back(std::move(*write));
        return outcome;
    }
    if (auto write = run_ephemeral(pod, now)) {
        outcome.writes.push_back(std::move(*write));
        return outcome;
    }
    if (const auto deadline = find_deadline(pod, pace)) {
        if (now >= *deadline) {
            outcome.writes.push_back(exceed_deadline(pod, now));
            return outcome;
        }
        outcome.again_at = deadline;
    }
    const auto seconds = annotated_number(pod, kRunSeconds);
    const std::string_view policy = text_at(pod, {"spec", "restartPolicy"});
    if (!seconds && policy == "Always") {
        return outcome;  // such a pod runs until it is deleted
    }
    const CommandedLife said = commanded_life(pod);
    constexpr std::int64_t kExitCodeMax = 255;
    const std::int64_t exit_code = std::min(
        annotated_number(pod, kExitCode).value_or(said.exit_code.value_or(0)), kExitCodeMax
    );
    const bool restarts = policy == "Always" || (policy == "OnFailure" && exit_code != 0);
    constexpr Duration kLeast = std::chrono::seconds(1);
    const Duration commanded = said.length.value_or(Duration::zero());
    const Duration unsaid =
        std::max(said.is_whole && pace.run_time < kForever ? kLeast : pace.run_time, commanded);
    Duration length = pace.scale(seconds ? to_duration(*seconds) : unsaid);
    if (restarts) {
        length = std::max<Duration>(length, kRestartMin);
    }
    started = started ? started : running_since(pod);
    const Time until = later(started.value_or(now), length);
    if (now < until) {
        outcome.again_at = std::min(outcome.again_at.value_or(until), until);
        return outcome;
    }
    outcome.writes.push_back(restarts ? restart(pod, now) : end(pod, exit_code, now));
    return outcome;
}

Outcome collect_lost_pod(const json::Value& pod, Time now) {
    Outcome outcome;
    if (!has_ended(pod)) {
        json::Array conditions;
        std::ranges::copy_if(
            list_at(pod, {"status", "conditions"}),
            std::back_inserter(conditions),
            [](const json::Value& each) { return each.string_at("type") != "DisruptionTarget"; }
        );
        conditions.emplace_back(json::Object{
            {"type", "DisruptionTarget"},
            {"status", "True"},
            {"reason", "DeletionByPodGC"},
            {"message", "PodGC: node no longer exists"},
            {"lastTransitionTime", api::to_string(now)}
        });
        outcome.writes.push_back(status_write(
            pod, json::Object{{"phase", "Failed"}, {"conditions", std::move(conditions)}}
        ));
    }
    if (!is_being_removed(pod)) {
        outcome.writes.push_back(removal(pod));
    }
    return outcome;
}

}  // namespace sluice::sim
