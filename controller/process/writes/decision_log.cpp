#include "controller/process/writes/decision_log.hpp"

#include "api/kueue/kueue_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>

namespace sluice::controller {

namespace {

using ObservationKind = Observation::Kind;

/// Returns the flavors that the status in the write assigns, each once, for example
/// "on-demand,spot".
std::string flavors_in(const Write& write) {
    std::set<std::string> flavors;
    const json::Value* assignments =
        write.body.find_path({"status", "admission", "podSetAssignments"});
    if (assignments != nullptr && assignments->is_array()) {
        for (const json::Value& assignment : assignments->as_array()) {
            const json::Value* by_resource = assignment.find("flavors");
            if (by_resource == nullptr) {
                continue;
            }
            for (const auto& [resource, flavor] : by_resource->as_object()) {
                flavors.insert(flavor.as_string());
            }
        }
    }
    return fmt::format("{}", fmt::join(flavors, ","));
}

const Observation* find_observation(const Write& write, ObservationKind kind) {
    const auto found = std::ranges::find(write.observations, kind, &Observation::kind);
    return found == write.observations.end() ? nullptr : &*found;
}

const EventNote* find_event(const Write& write, std::string_view reason) {
    const auto found = std::ranges::find_if(write.events, [reason](const EventNote& event) {
        return std::string_view(event.reason).starts_with(reason);
    });
    return found == write.events.end() ? nullptr : &*found;
}

LogLine admission_line(std::string_view phrase, const Write& write, const Observation& seen) {
    const auto waited = std::chrono::round<std::chrono::seconds>(seen.since_queued);
    return {
        .phrase = phrase,
        .fields =
            {
                {"workload", to_string(write.object)},
                {"clusterQueue", seen.cluster_queue},
                {"flavors", flavors_in(write)},
                {"queuedSeconds", waited.count()},
            },
    };
}

LogLine eviction_line(const Write& write, const Observation& seen) {
    LogLine line{
        .phrase = "workload evicted",
        .fields =
            {
                {"workload", to_string(write.object)},
                {"clusterQueue", seen.cluster_queue},
                {"reason", seen.reason},
            },
    };
    if (!seen.underlying_cause.empty()) {
        line.fields.emplace_back("cause", seen.underlying_cause);
    }
    if (const Observation* preemption = find_observation(write, ObservationKind::Preempted)) {
        line.phrase = "workload preempted";
        line.fields.back() = {"reason", preemption->reason};
        line.fields.emplace_back("preemptorClusterQueue", preemption->cluster_queue);
        if (const EventNote* preemptor = find_event(write, api::reason::kPreemptedWorkload)) {
            const ObjectReference& workload = preemptor->regarding;
            line.fields.emplace_back("preemptor", workload.namespace_ + "/" + workload.name);
        }
    } else if (const EventNote* event = find_event(write, api::reason::kEvictedDueTo)) {
        line.fields.emplace_back("message", event->note);
    }
    return line;
}

}  // namespace

std::vector<LogLine> decision_lines(const Write& write) {
    std::vector<LogLine> lines;
    if (const Observation* admitted = find_observation(write, ObservationKind::Admitted)) {
        lines.push_back(admission_line("workload admitted", write, *admitted));
    } else if (const auto* reserved = find_observation(write, ObservationKind::QuotaReserved)) {
        lines.push_back(admission_line("quota reserved", write, *reserved));
    }
    if (const Observation* evicted = find_observation(write, ObservationKind::Evicted)) {
        lines.push_back(eviction_line(write, *evicted));
    }
    return lines;
}

}  // namespace sluice::controller
