#include "sim/job/job_turn.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/job/job_policies.hpp"
#include "sim/objects/fields.hpp"

#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::sim {

JobTurn::JobTurn(
    const json::Value& job, JobPods pods, JobBackoff& backoff, Time now, const Pace& pace
)
    : job_(job),
      pods_(std::move(pods)),
      memory_(backoff),
      now_(now),
      pace_(pace),
      status_(JobStatus::read(job)),
      before_(status_) {
    const bool is_indexed = text_at(job, {"spec", "completionMode"}) == "Indexed";
    completions_ = find_int(job, {"spec", "completions"});
    indexed_ = is_indexed ? std::optional(completions_.value_or(0)) : std::nullopt;
    per_index_limit_ = indexed_ ? find_int(job, {"spec", "backoffLimitPerIndex"}) : std::nullopt;
    has_failure_policy_ = job.find_path({"spec", "podFailurePolicy"}) != nullptr;
    replaces_failed_only_ =
        has_failure_policy_ || text_at(job, {"spec", "podReplacementPolicy"}) == "Failed";
    is_suspended_ = is_true_at(job, {"spec", "suspend"});
    is_deleted_ = job.find_path({"metadata", "deletionTimestamp"}) != nullptr;
}

bool JobTurn::counts_as_failed(const JobPod& pod) const {
    // A deleted pod may never have the chance to fail. Pods that are deleted with their Job usually
    // lose their finalizers before.
    return pod.phase == "Failed" ||
           (!replaces_failed_only_ && !is_deleted_ && pod.is_deleted && !pod.has_succeeded());
}

bool JobTurn::is_uncounted(const JobPod& pod, const std::set<std::string, std::less<>>& counted)
    const {
    const bool has_index = !indexed_ || (pod.index && *pod.index < *indexed_);
    return pod.is_tracked && has_index && !counted.contains(pod.uid);
}

void JobTurn::count_pods() {
    std::ranges::copy_if(pods_, std::back_inserter(active_), &JobPod::is_active);
    active_count_ = std::ssize(active_);
    ready_count_ = std::ranges::count_if(active_, &JobPod::is_ready);
    terminating_ = std::ranges::count_if(pods_, &JobPod::is_terminating);
    std::optional<Time> last_success;
    std::vector<Time> failures;
    std::int64_t counted_failures = 0;
    std::int64_t successes = 0;
    for (const JobPod& pod : pods_) {
        if (pod.has_succeeded() && is_uncounted(pod, status_.uncounted_succeeded)) {
            ++successes;
            last_success = std::max(last_success.value_or(pod.finished_at()), pod.finished_at());
        }
        if (counts_as_failed(pod) && is_uncounted(pod, status_.uncounted_failed)) {
            failures.push_back(pod.finished_at());
            counted_failures += judge_failure(job_, pod).is_counted ? 1 : 0;
        }
    }
    succeeded_ = status_.succeeded + successes + std::ssize(status_.uncounted_succeeded);
    failed_ = status_.failed + counted_failures + std::ssize(status_.uncounted_failed);
    backoff_ = memory_;
    if (last_success) {
        backoff_ = {};
        std::erase_if(failures, [&](Time time) { return time <= *last_success; });
    }
    if (!failures.empty()) {
        backoff_.failures += std::ssize(failures);
        backoff_.last_failure = *std::ranges::max_element(failures);
    }
    if (!status_.start_time && !is_suspended_) {
        status_.start_time = api::to_string(now_);
    }
}

std::string JobTurn::failed_by_policy() const {
    for (const JobPod& pod : pods_) {
        if (has_failure_policy_ && counts_as_failed(pod)) {
            const FailureVerdict verdict = judge_failure(job_, pod);
            if (!verdict.job_message.empty()) {
                return verdict.job_message;
            }
        }
    }
    return "";
}

bool JobTurn::is_past_deadline() {
    const auto limit = find_int(job_, {"spec", "activeDeadlineSeconds"});
    const auto start =
        status_.start_time ? api::parse_time(*status_.start_time) : Result<Time>(Error{});
    if (!limit || !start || is_suspended_) {
        return false;
    }
    const Time end = later(*start, pace_.scale_seconds(*limit));
    if (now_ < end) {
        look_again(end);
    }
    return now_ >= end;
}

bool JobTurn::has_failed_in_place() const {
    if (text_at(job_, {"spec", "template", "spec", "restartPolicy"}) != "OnFailure") {
        return false;
    }
    std::int64_t restarts = 0;
    for (const JobPod& pod : pods_) {
        if (pod.phase != "Running" && pod.phase != "Pending") {
            continue;
        }
        for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
            for (const json::Value& status : list_at(*pod.object, {"status", list})) {
                restarts += find_int(status, {"restartCount"}).value_or(0);
            }
        }
    }
    const std::int64_t limit = find_int(job_, {"spec", "backoffLimit"}).value_or(6);
    return limit == 0 ? restarts > 0 : restarts >= limit;
}

void JobTurn::find_end() {
    for (const char* type : {"SuccessCriteriaMet", "FailureTarget"}) {
        if (const json::Value* found = status_.find_condition(type); status_.is_true(type)) {
            const bool is_success = std::string_view(type) == "SuccessCriteriaMet";
            end_ = JobEnd{
                is_success ? "SuccessCriteriaMet" : "Failed",
                std::string(found->string_at("reason")),
                std::string(found->string_at("message"))
            };
            return;
        }
    }
    if (std::string message = failed_by_policy(); !message.empty()) {
        end_ = JobEnd{"FailureTarget", "PodFailurePolicy", std::move(message)};
        return;
    }
    if (failed_ > find_int(job_, {"spec", "backoffLimit"}).value_or(6) || has_failed_in_place()) {
        end_ = JobEnd{
            "FailureTarget", "BackoffLimitExceeded", "Job has reached the specified backoff limit"
        };
    } else if (is_past_deadline()) {
        end_ = JobEnd{
            "FailureTarget", "DeadlineExceeded", "Job was active longer than specified deadline"
        };
    }
}

void JobTurn::count_indexes() {
    if (!indexed_) {
        return;
    }
    known_succeeded_ = IndexSet::parse(status_.completed_indexes, *indexed_);
    succeeded_indexes_ = known_succeeded_;
    failed_indexes_ = IndexSet::parse(status_.failed_indexes.value_or(""), *indexed_);
    for (const JobPod& pod : pods_) {
        if (!pod.index || !is_uncounted(pod, {})) {
            continue;
        }
        if (pod.has_succeeded()) {
            succeeded_indexes_.insert(*pod.index);
        }
        if (per_index_limit_ && counts_as_failed(pod)) {
            const FailureVerdict verdict = judge_failure(job_, pod);
            const bool is_spent =
                verdict.is_counted && pod.counted_index_failures() >= *per_index_limit_;
            if (verdict.fails_index || is_spent) {
                failed_indexes_.insert(*pod.index);
            }
        }
    }
    succeeded_ = succeeded_indexes_.size();
    find_index_end(*indexed_);
}

void JobTurn::find_index_end(std::int64_t completions) {
    if (per_index_limit_) {
        const auto max = find_int(job_, {"spec", "maxFailedIndexes"});
        const std::int64_t lost = failed_indexes_.size();
        if (!end_ && max && lost > *max) {
            end_ = JobEnd{
                "FailureTarget",
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes"
            };
        } else if (!end_ && lost > 0 && lost + succeeded_indexes_.size() >= completions) {
            end_ = JobEnd{"FailureTarget", "FailedIndexes", "Job has failed indexes"};
        }
        choose_delayed();
    }
    if (!end_) {
        std::string rule = find_met_success_rule(job_, succeeded_indexes_, completions);
        if (!rule.empty()) {
            end_ = JobEnd{"SuccessCriteriaMet", "SuccessPolicy", std::move(rule)};
        }
    }
}

void JobTurn::choose_delayed() {
    for (const JobPod& pod : pods_) {
        if (!pod.index || !counts_as_failed(pod) || !is_uncounted(pod, {}) ||
            succeeded_indexes_.contains(*pod.index) || failed_indexes_.contains(*pod.index) ||
            std::ranges::find(active_, pod.index, &JobPod::index) != active_.end()) {
            continue;
        }
        const auto [at, is_new] = delayed_.emplace(*pod.index, pod);
        if (!is_new && at->second.all_index_failures() <= pod.all_index_failures() &&
            pod.finished_at() >= at->second.finished_at()) {
            at->second = pod;
        }
    }
}

void JobTurn::end_or_go_on() {
    if (end_) {
        stop_pods();
        return;
    }
    if (!is_deleted_) {
        manage_pods();
    }
    const bool is_complete = completions_ ? succeeded_ >= *completions_ : succeeded_ > 0;
    if (is_complete && active_count_ == 0) {
        end_ = JobEnd{
            "SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods"
        };
    } else if (!is_deleted_) {
        mark_suspended();
    }
}

void JobTurn::mark_suspended() {
    if (is_suspended_) {
        if (status_.set_condition("Suspended", true, "JobSuspended", "Job suspended", now_)) {
            outcome_.notes.push_back({false, "Suspended", "Job suspended"});
            status_.start_time.reset();
        }
    } else if (status_.set_condition("Suspended", false, "JobResumed", "Job resumed", now_)) {
        outcome_.notes.push_back({false, "Resumed", "Job resumed"});
        status_.start_time = api::to_string(now_);
    }
}

Outcome JobTurn::run() {
    if (status_.is_finished()) {
        memory_ = {};
        return {};
    }
    count_pods();
    find_end();
    count_indexes();
    end_or_go_on();
    track();
    return std::move(outcome_);
}

}  // namespace sluice::sim
