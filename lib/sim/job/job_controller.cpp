#include "sim/job/job_controller.hpp"

#include "sim/job/job_turn.hpp"
#include "sim/objects/fields.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

/// Returns the condition with which the Job has finished; nullptr if it has not.
const json::Value* find_job_end(const json::Value& job) {
    for (const char* type : {"Complete", "Failed"}) {
        if (has_condition(job, type)) {
            return find_element(list_at(job, {"status", "conditions"}), "type", type);
        }
    }
    return nullptr;
}

/// Deletes a Job whose ttlSecondsAfterFinished has passed (KEP-592).
Outcome expire(const json::Value& job, const json::Value& end, Time now, const Pace& pace) {
    Outcome outcome;
    const auto seconds = find_int(job, {"spec", "ttlSecondsAfterFinished"});
    const auto ended = find_time(end, {"lastTransitionTime"});
    if (!seconds || !ended) {
        return outcome;
    }
    const Time expiry = later(*ended, pace.scale_seconds(*seconds));
    if (now < expiry) {
        outcome.again_at = expiry;
        return outcome;
    }
    const json::Value preconditions = json::Object{{"uid", text_at(job, {"metadata", "uid"})}};
    outcome.writes.push_back(
        {.verb = Write::Verb::Delete,
         .name = std::string(text_at(job, {"metadata", "name"})),
         .body =
             json::Object{
                 {"kind", "DeleteOptions"},
                 {"apiVersion", "v1"},
                 {"propagationPolicy", "Foreground"},
                 {"preconditions", preconditions}
             },
         .api_version = "batch/v1",
         .kind = "Job"}
    );
    return outcome;
}

}  // namespace

Outcome reconcile_job(
    const json::Value& job,
    const std::vector<const json::Value*>& pods,
    JobBackoff& backoff,
    Time now,
    const Pace& pace
) {
    const std::string_view managed_by = text_at(job, {"spec", "managedBy"});
    if (!managed_by.empty() && managed_by != kOwnName) {
        return {};
    }
    const json::Value* end = find_job_end(job);
    if (end != nullptr && job.find_path({"metadata", "deletionTimestamp"}) == nullptr) {
        return expire(job, *end, now, pace);
    }
    JobPods views;
    std::ranges::transform(pods, std::back_inserter(views), [](const json::Value* pod) {
        return JobPod::make(*pod);
    });
    if (text_at(job, {"spec", "completionMode"}) == "Indexed") {
        std::ranges::stable_sort(views, {}, [](const JobPod& pod) {
            return pod.index.value_or(-1);
        });
    }
    return JobTurn(job, std::move(views), backoff, now, pace).run();
}

}  // namespace sluice::sim
