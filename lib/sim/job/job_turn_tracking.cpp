#include "api/meta/micro_time.hpp"
#include "sim/job/job_policies.hpp"
#include "sim/job/job_turn.hpp"
#include "sim/objects/fields.hpp"

#include <utility>

// The steps of a turn that record ended pods in the status: each is counted once, by its finalizer.
namespace sluice::sim {

namespace {

/// Maximum number of pods in the status that wait for the removal of their finalizer.
constexpr std::size_t kUncountedMax = 500;

}  // namespace

bool JobTurn::may_lose_finalizer(const JobPod& pod) const {
    if (end_ || pod.has_succeeded() || is_deleted_) {
        return true;
    }
    if (!counts_as_failed(pod)) {
        return false;
    }
    const auto delayed = pod.index ? delayed_.find(*pod.index) : delayed_.end();
    return delayed == delayed_.end() || delayed->second.uid != pod.uid;
}

void JobTurn::count_ended(const JobPod& pod, IndexSet& newly_succeeded) {
    const bool has_index = !indexed_ || (pod.index && *pod.index < *indexed_);
    if (pod.has_succeeded() && !status_.uncounted_failed.contains(pod.uid)) {
        if (!indexed_) {
            status_.uncounted_succeeded.emplace(pod.uid);
        } else if (has_index) {
            newly_succeeded.insert(*pod.index);
        }
        return;
    }
    const bool is_lost = counts_as_failed(pod) || (end_ && !end_->is_success());
    if (is_lost && has_index && judge_failure(job_, pod).is_counted) {
        status_.uncounted_failed.emplace(pod.uid);
    }
}

/// Adds pods without a finalizer to the final counters.
void JobTurn::settle_uncounted(const std::set<std::string, std::less<>>& tracked) {
    const auto settle = [&tracked](auto& uncounted, std::int64_t& counter) {
        counter += static_cast<std::int64_t>(std::erase_if(uncounted, [&](const auto& uid) {
            return !tracked.contains(uid);
        }));
    };
    settle(status_.uncounted_succeeded, status_.succeeded);
    settle(status_.uncounted_failed, status_.failed);
}

void JobTurn::write_status() {
    if (status_ != before_) {
        outcome_.writes.push_back({.verb = Write::Verb::ReplaceStatus, .body = status_.to_value()});
        before_ = status_;
        memory_ = backoff_;
    }
}

void JobTurn::lose_finalizers(const std::vector<const JobPod*>& pods) {
    for (const JobPod* pod : pods) {
        outcome_.writes.push_back(lose_finalizer(*pod->object));
    }
}

void JobTurn::track() {
    status_.active = active_count_;
    status_.ready = ready_count_;
    status_.terminating = terminating_;
    std::set<std::string, std::less<>> tracked;
    for (const JobPod& pod : pods_) {
        if (pod.is_tracked) {
            tracked.emplace(pod.uid);
        }
    }
    settle_uncounted(tracked);
    std::vector<const JobPod*> ended;
    IndexSet newly_succeeded;
    for (const JobPod& pod : pods_) {
        const std::size_t waiting =
            status_.uncounted_succeeded.size() + status_.uncounted_failed.size();
        if (pod.is_tracked && may_lose_finalizer(pod) && waiting < kUncountedMax) {
            ended.push_back(&pod);
            count_ended(pod, newly_succeeded);
        }
    }
    if (indexed_) {
        succeeded_indexes_.insert_all(newly_succeeded);
        status_.succeeded = succeeded_indexes_.size();
        status_.completed_indexes = succeeded_indexes_.to_string();
        if (per_index_limit_) {
            status_.failed_indexes = failed_indexes_.to_string();
        }
    }
    if (end_ && end_->type == "FailureTarget") {
        status_.add(*end_, now_);
        end_->type = "Failed";
    } else if (end_ && end_->type == "SuccessCriteriaMet") {
        if (!status_.is_true("SuccessCriteriaMet")) {
            status_.add(*end_, now_);
        }
        end_->type = "Complete";
    }
    write_status();
    lose_finalizers(ended);
    for (const JobPod* pod : ended) {
        tracked.erase(std::string(pod->uid));
    }
    settle_uncounted(tracked);
    finish();
    write_status();
}

void JobTurn::finish() {
    const bool is_counted = status_.uncounted_succeeded.empty() && status_.uncounted_failed.empty();
    if (!end_ || !is_counted || terminating_ > 0) {
        return;
    }
    status_.add(*end_, now_);
    if (end_->type == "Complete") {
        status_.completion_time = api::to_string(now_);
        if (completions_ && status_.succeeded > *completions_) {
            outcome_.notes.push_back(
                {true,
                 "TooManySucceededPods",
                 "Too many succeeded pods running after completion count reached"}
            );
        }
        outcome_.notes.push_back({false, "Completed", "Job completed"});
    } else {
        outcome_.notes.push_back({true, end_->reason, end_->message});
    }
}

}  // namespace sluice::sim
