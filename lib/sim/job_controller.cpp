#include "sim/job_controller.hpp"

#include "sim/fields.hpp"
#include "sim/job_turn.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

}  // namespace

Outcome reconcile_job(
    const json::Value& job,
    const std::vector<const json::Value*>& pods,
    JobBackoff& backoff,
    Time now
) {
    const std::string_view managed_by = text_at(job, {"spec", "managedBy"});
    if (!managed_by.empty() && managed_by != kOwnName) {
        return {};
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
    return JobTurn(job, std::move(views), backoff, now).run();
}

}  // namespace sluice::sim
