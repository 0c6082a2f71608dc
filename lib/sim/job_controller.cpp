#include "sim/job_controller.hpp"

#include "api/micro_time.hpp"
#include "sim/fields.hpp"
#include "sim/job_pod.hpp"
#include "sim/job_policies.hpp"
#include "sim/job_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

namespace sluice::sim {

namespace {

constexpr Duration kBackoffMin = std::chrono::seconds(10);
constexpr Duration kBackoffMax = std::chrono::minutes(10);
/// Pods made or deleted in one turn, and pods waiting to be counted in the status.
constexpr std::int64_t kPodsAtOnce = 500;
constexpr std::size_t kUncountedMax = 500;
constexpr std::string_view kOwnName = "kubernetes.io/job-controller";

Duration backoff_left(std::int64_t failures, std::optional<Time> last, Time now) {
    if (failures == 0 || !last) {
        return {};
    }
    Duration backoff = kBackoffMin;
    for (std::int64_t i = 1; i < failures && backoff < kBackoffMax; ++i) {
        backoff = std::min(2 * backoff, kBackoffMax);
    }
    return std::max(Duration(), *last + backoff - now);
}

/// One turn over one Job.
class JobTurn {
  public:
    JobTurn(const json::Value& job, JobPods pods, JobBackoff& backoff, Time now)
        : job_(job),
          pods_(std::move(pods)),
          memory_(backoff),
          now_(now),
          status_(JobStatus::read(job)),
          before_(status_) {
        const bool is_indexed = text_at(job, {"spec", "completionMode"}) == "Indexed";
        completions_ = find_int(job, {"spec", "completions"});
        indexed_ = is_indexed ? std::optional(completions_.value_or(0)) : std::nullopt;
        per_index_limit_ =
            indexed_ ? find_int(job, {"spec", "backoffLimitPerIndex"}) : std::nullopt;
        has_failure_policy_ = job.find_path({"spec", "podFailurePolicy"}) != nullptr;
        replaces_failed_only_ =
            has_failure_policy_ || text_at(job, {"spec", "podReplacementPolicy"}) == "Failed";
        is_suspended_ = is_true_at(job, {"spec", "suspend"});
    }

    Outcome run();

  private:
    // The steps, in their order.
    void count_pods();
    void find_end();
    void count_indexes();
    void end_or_go_on();
    void track();

    bool counts_as_failed(const JobPod& pod) const;
    /// Whether it is still to be counted: it has the finalizer, and an index that is one.
    bool is_uncounted(const JobPod& pod, const std::set<std::string, std::less<>>& counted) const;
    std::string failed_by_policy() const;
    bool is_past_deadline();
    bool has_failed_in_place() const;
    void find_index_end();
    void choose_delayed();

    void stop_pods();
    void manage_pods();
    void remove(const JobPods& pods);
    void create(std::int64_t count);
    std::vector<std::int64_t> indexes_to_add(std::int64_t count);
    void mark_suspended();

    void count_ended(const JobPod& pod, IndexSet& newly_succeeded);
    bool may_lose_finalizer(const JobPod& pod) const;
    void settle_uncounted(const std::set<std::string, std::less<>>& tracked);
    void write_status();
    void lose_finalizers(const std::vector<const JobPod*>& pods);
    void finish();

    void look_again(Time at) { outcome_.again_at = std::min(outcome_.again_at.value_or(at), at); }

    const json::Value& job_;
    JobPods pods_;
    JobBackoff& memory_;
    Time now_;
    JobStatus status_;
    JobStatus before_;
    Outcome outcome_;

    std::optional<std::int64_t> completions_;
    std::optional<std::int64_t> indexed_;  ///< completions of an Indexed Job
    std::optional<std::int64_t> per_index_limit_;
    bool has_failure_policy_ = false;
    bool replaces_failed_only_ = false;
    bool is_suspended_ = false;

    JobPods active_;
    std::int64_t active_count_ = 0;
    std::int64_t ready_count_ = 0;
    std::int64_t terminating_ = 0;
    std::int64_t succeeded_ = 0;
    std::int64_t failed_ = 0;
    JobBackoff backoff_;
    IndexSet known_succeeded_;  ///< by the status alone
    IndexSet succeeded_indexes_;
    IndexSet failed_indexes_;
    std::map<std::int64_t, JobPod> delayed_;  ///< failed pods that their index waits to replace
    std::optional<JobEnd> end_;
};

bool JobTurn::counts_as_failed(const JobPod& pod) const {
    // A pod that was deleted may never have the chance to fail.
    return pod.phase == "Failed" ||
           (!replaces_failed_only_ && pod.is_deleted && !pod.has_succeeded());
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
    const Time end = *start + std::chrono::seconds(*limit);
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
        if (!is_uncounted(pod, {})) {
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
    find_index_end();
}

void JobTurn::find_index_end() {
    if (per_index_limit_) {
        const auto max = find_int(job_, {"spec", "maxFailedIndexes"});
        const std::int64_t lost = failed_indexes_.size();
        if (!end_ && max && lost > *max) {
            end_ = JobEnd{
                "FailureTarget",
                "MaxFailedIndexesExceeded",
                "Job has exceeded the specified maximal number of failed indexes"
            };
        } else if (!end_ && lost > 0 && lost + succeeded_indexes_.size() >= *indexed_) {
            end_ = JobEnd{"FailureTarget", "FailedIndexes", "Job has failed indexes"};
        }
        choose_delayed();
    }
    if (!end_) {
        std::string rule = find_met_success_rule(job_, succeeded_indexes_, *indexed_);
        if (!rule.empty()) {
            end_ = JobEnd{"SuccessCriteriaMet", "SuccessPolicy", std::move(rule)};
        }
    }
}

void JobTurn::choose_delayed() {
    for (const JobPod& pod : pods_) {
        if (!counts_as_failed(pod) || !is_uncounted(pod, {}) ||
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
    const bool is_deleted = job_.find_path({"metadata", "deletionTimestamp"}) != nullptr;
    if (!is_deleted) {
        manage_pods();
    }
    const bool is_complete = completions_ ? succeeded_ >= *completions_ : succeeded_ > 0;
    if (is_complete && active_count_ == 0) {
        end_ = JobEnd{
            "SuccessCriteriaMet", "CompletionsReached", "Reached expected number of succeeded pods"
        };
    } else if (!is_deleted) {
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

/// They keep their finalizers until they are counted.
void JobTurn::stop_pods() {
    for (const JobPod& pod : active_) {
        outcome_.writes.push_back(
            {.verb = Write::Verb::DeletePod,
             .pod = std::string(pod.name),
             .note = Note{false, "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.name)}}
        );
    }
    terminating_ += active_count_;
    active_count_ = 0;
    ready_count_ = 0;
}

/// Pods that are not needed are not counted: they lose their finalizer before.
void JobTurn::remove(const JobPods& pods) {
    for (const JobPod& pod : pods) {
        if (pod.is_tracked) {
            lose_finalizers({&pod});
        }
        outcome_.writes.push_back(
            {.verb = Write::Verb::DeletePod,
             .pod = std::string(pod.name),
             .note = Note{false, "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.name)}}
        );
        ready_count_ -= pod.is_ready ? 1 : 0;
    }
    active_count_ -= std::ssize(pods);
    terminating_ += std::ssize(pods);
}

void JobTurn::manage_pods() {
    const std::int64_t parallelism = find_int(job_, {"spec", "parallelism"}).value_or(1);
    if (is_suspended_) {
        remove(choose_for_removal(active_, active_count_, indexed_));
        return;
    }
    std::int64_t wanted = parallelism;
    if (completions_) {
        wanted = std::clamp<std::int64_t>(*completions_ - succeeded_, 0, parallelism);
    } else if (succeeded_ > 0) {
        wanted = active_count_;
    }
    JobPods surplus =
        choose_for_removal(active_, std::max<std::int64_t>(0, active_count_ - wanted), indexed_);
    if (!surplus.empty()) {
        surplus.resize(std::min<std::size_t>(surplus.size(), kPodsAtOnce));
        remove(surplus);
        return;
    }
    const std::int64_t leaving = replaces_failed_only_ ? terminating_ : 0;
    if (const std::int64_t missing = wanted - leaving - active_count_; missing > 0) {
        create(missing);
    }
}

void JobTurn::create(std::int64_t count) {
    if (!per_index_limit_) {
        const Duration left = backoff_left(backoff_.failures, backoff_.last_failure, now_);
        if (left > Duration()) {
            look_again(now_ + left);
            return;
        }
    }
    count = std::min(count, kPodsAtOnce);
    std::vector<std::optional<std::int64_t>> indexes(static_cast<std::size_t>(count));
    if (indexed_) {
        const auto chosen = indexes_to_add(count);
        indexes.assign(chosen.begin(), chosen.end());
    }
    for (const auto& index : indexes) {
        json::Value pod = make_job_pod(job_, index);
        if (per_index_limit_) {
            const auto found = delayed_.find(*index);
            std::int64_t counted = 0;
            std::int64_t ignored = 0;
            if (found != delayed_.end()) {
                const JobPod& replaced = found->second;
                counted = replaced.counted_index_failures();
                ignored = replaced.all_index_failures() - counted;
                ++(judge_failure(job_, replaced).is_counted ? counted : ignored);
            }
            json::Value& annotations = make_object_at(pod, {"metadata", "annotations"});
            annotations.set(kIndexFailures, std::to_string(counted));
            if (ignored > 0) {
                annotations.set(kIgnoredIndexFailures, std::to_string(ignored));
            }
        }
        outcome_.writes.push_back(
            {.verb = Write::Verb::CreatePod,
             .body = std::move(pod),
             .note = Note{false, "SuccessfulCreate", "Created pod: "}}
        );
        ++active_count_;
    }
}

std::vector<std::int64_t> JobTurn::indexes_to_add(std::int64_t count) {
    IndexSet taken = succeeded_indexes_;
    taken.insert_all(failed_indexes_);
    for (const JobPod& pod : pods_) {
        if (pod.index && (pod.is_active() || (replaces_failed_only_ && pod.is_terminating()))) {
            taken.insert(*pod.index);
        }
    }
    std::vector<std::int64_t> indexes = taken.first_missing(count, *indexed_);
    if (!per_index_limit_) {
        return indexes;
    }
    std::optional<Duration> shortest;
    const auto must_wait = [&](std::int64_t index) {
        const auto found = delayed_.find(index);
        if (found == delayed_.end()) {
            return false;
        }
        const JobPod& pod = found->second;
        const Duration left = backoff_left(pod.all_index_failures() + 1, pod.finished_at(), now_);
        if (left > Duration()) {
            shortest = std::min(shortest.value_or(left), left);
        }
        return left > Duration();
    };
    std::erase_if(indexes, must_wait);
    if (indexes.empty() && shortest) {
        look_again(now_ + *shortest);
    }
    return indexes;
}

bool JobTurn::may_lose_finalizer(const JobPod& pod) const {
    if (end_ || pod.has_succeeded() ||
        job_.find_path({"metadata", "deletionTimestamp"}) != nullptr) {
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

/// Pods whose finalizer is gone are counted for good.
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
        json::Array left = list_at(*pod->object, {"metadata", "finalizers"});
        std::erase(left, json::Value(kTrackingFinalizer));
        outcome_.writes.push_back(
            {.verb = Write::Verb::PatchPod,
             .pod = std::string(pod->name),
             .body =
                 json::Object{
                     {"metadata",
                      json::Object{
                          {"uid", pod->uid},
                          {"finalizers", left.empty() ? json::Value() : json::Value(std::move(left))
                          }
                      }}
                 }}
        );
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
