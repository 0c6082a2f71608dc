#include "api/meta/micro_time.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/table/builtin_cells.hpp"
#include "apiserver/table/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Value;

std::string or_none(std::string_view text) {
    return text.empty() ? "<none>" : std::string(text);
}

std::string_view metadata_text(const Value& pod, std::string_view name) {
    const Value* metadata = pod.find("metadata");
    return metadata == nullptr ? std::string_view() : metadata->string_at(name);
}

/// The state of a pod's containers, as the row of the pod shows it.
struct ContainerSummary {
    std::string reason;
    std::size_t ready = 0;
    std::int64_t restarts = 0;
    std::string restarted_at;
};

std::string termination_text(const Value& terminated, std::string_view prefix) {
    if (const auto reason = terminated.string_at("reason"); !reason.empty()) {
        return fmt::format("{}{}", prefix, reason);
    }
    if (const auto signal = int_at(terminated, "signal", 0); signal != 0) {
        return fmt::format("{}Signal:{}", prefix, signal);
    }
    return fmt::format("{}ExitCode:{}", prefix, int_at(terminated, "exitCode", 0));
}

/// Adds the restarts of a container, and the time of its last restart.
void count_restarts(const Value& status, ContainerSummary& summary) {
    summary.restarts += int_at(status, "restartCount", 0);
    if (const Value* last = status.find_path({"lastState", "terminated"}); last != nullptr) {
        summary.restarted_at =
            std::max(summary.restarted_at, std::string(last->string_at("finishedAt")));
    }
}

/// Returns true if init containers have not finished; the summary then has the reason.
bool summarize_init(const Value& pod, ContainerSummary& summary) {
    const auto& specs = items_of(pod.find_path({"spec", "initContainers"}));
    const auto& statuses = items_of(pod.find_path({"status", "initContainerStatuses"}));
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const Value& status = statuses[i];
        count_restarts(status, summary);
        const Value* terminated = status.find_path({"state", "terminated"});
        if (terminated != nullptr && int_at(*terminated, "exitCode", 0) == 0) {
            continue;
        }
        const Value* waiting = status.find_path({"state", "waiting"});
        if (terminated != nullptr) {
            summary.reason = termination_text(*terminated, "Init:");
        } else if (waiting != nullptr && !waiting->string_at("reason").empty() &&
                   waiting->string_at("reason") != "PodInitializing") {
            summary.reason = fmt::format("Init:{}", waiting->string_at("reason"));
        } else {
            summary.reason = fmt::format("Init:{}/{}", i, specs.size());
        }
        return true;
    }
    return false;
}

void summarize_containers(const Value& pod, ContainerSummary& summary) {
    const auto& statuses = items_of(pod.find_path({"status", "containerStatuses"}));
    bool is_running = false;
    for (auto at = statuses.rbegin(); at != statuses.rend(); ++at) {
        count_restarts(*at, summary);
        const Value* waiting = at->find_path({"state", "waiting"});
        const Value* terminated = at->find_path({"state", "terminated"});
        if (waiting != nullptr && !waiting->string_at("reason").empty()) {
            summary.reason = waiting->string_at("reason");
        } else if (terminated != nullptr) {
            summary.reason = termination_text(*terminated, "");
        } else if (is_true(*at, "ready") && at->find_path({"state", "running"}) != nullptr) {
            is_running = true;
            ++summary.ready;
        }
    }
    if (summary.reason == "Completed" && is_running) {
        summary.reason = "Running";
    }
}

std::string ready_gates(const Value& pod) {
    const auto& gates = items_of(pod.find_path({"spec", "readinessGates"}));
    if (gates.empty()) {
        return "<none>";
    }
    std::size_t ready = 0;
    for (const auto& gate : gates) {
        for (const auto& condition : items_of(pod.find_path({"status", "conditions"}))) {
            if (condition.string_at("type") == gate.string_at("conditionType") &&
                condition.string_at("status") == "True") {
                ++ready;
            }
        }
    }
    return fmt::format("{}/{}", ready, gates.size());
}

std::string pod_ip(const Value& status) {
    const auto& ips = items_of(status.find("podIPs"));
    return or_none(ips.empty() ? status.string_at("podIP") : ips.front().string_at("ip"));
}

bool is_gated(const Value& status) {
    const auto& conditions = items_of(status.find("conditions"));
    return std::ranges::any_of(conditions, [](const Value& condition) {
        return condition.string_at("type") == "PodScheduled" &&
               condition.string_at("reason") == "SchedulingGated";
    });
}

}  // namespace

std::string age_since(std::string_view timestamp, Time now) {
    if (timestamp.empty()) {
        return "<unknown>";
    }
    const auto time = api::parse_time(timestamp);
    return time ? age(now - *time) : "<invalid>";
}

Array pod_cells(const Value& pod, Time now) {
    static const Value kNone;
    const Value* status_found = pod.find("status");
    const Value& status = status_found == nullptr ? kNone : *status_found;
    const Value* spec_found = pod.find("spec");
    const Value& spec = spec_found == nullptr ? kNone : *spec_found;
    ContainerSummary summary;
    summary.reason = status.string_at("reason");
    if (summary.reason.empty()) {
        summary.reason = status.string_at("phase");
    }
    if (is_gated(status)) {
        summary.reason = "SchedulingGated";
    }
    if (!summarize_init(pod, summary)) {
        summarize_containers(pod, summary);
    }
    if (!metadata_text(pod, "deletionTimestamp").empty()) {
        const auto phase = status.string_at("phase");
        if (status.string_at("reason") == "NodeLost") {
            summary.reason = "Unknown";
        } else if (phase != "Failed" && phase != "Succeeded") {
            summary.reason = "Terminating";
        }
    }
    auto restarts = std::to_string(summary.restarts);
    if (summary.restarts != 0 && !summary.restarted_at.empty()) {
        restarts += fmt::format(" ({} ago)", age_since(summary.restarted_at, now));
    }
    return {
        Value(metadata_text(pod, "name")),
        Value(fmt::format("{}/{}", summary.ready, items_of(spec.find("containers")).size())),
        Value(summary.reason),
        Value(restarts),
        Value(age_since(metadata_text(pod, "creationTimestamp"), now)),
        Value(pod_ip(status)),
        Value(or_none(spec.string_at("nodeName"))),
        Value(or_none(status.string_at("nominatedNodeName"))),
        Value(ready_gates(pod)),
    };
}

}  // namespace sluice::apiserver
