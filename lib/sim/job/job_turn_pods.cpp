#include "sim/job/job_policies.hpp"
#include "sim/job/job_turn.hpp"
#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

// The steps of a turn that create and delete pods.
namespace sluice::sim {

namespace {

constexpr Duration kBackoffMin = std::chrono::seconds(10);
constexpr Duration kBackoffMax = std::chrono::minutes(10);

Duration backoff_left(std::int64_t failures, std::optional<Time> last, Time now, const Pace& pace) {
    if (failures == 0 || !last) {
        return {};
    }
    Duration backoff = kBackoffMin;
    for (std::int64_t i = 1; i < failures && backoff < kBackoffMax; ++i) {
        backoff = std::min(2 * backoff, kBackoffMax);
    }
    return std::max(Duration(), later(*last, pace.scale(backoff)) - now);
}

}  // namespace

/// Deletes the active pods. They keep their finalizers until they are counted.
void JobTurn::stop_pods() {
    for (const JobPod& pod : active_) {
        outcome_.writes.push_back(
            {.verb = Write::Verb::Delete,
             .name = std::string(pod.name),
             .note = Note{false, "SuccessfulDelete", fmt::format("Deleted pod: {}", pod.name)}}
        );
    }
    terminating_ += active_count_;
    active_count_ = 0;
    ready_count_ = 0;
}

/// Deletes surplus pods. They lose their finalizer before, so that they are not counted.
void JobTurn::remove(const JobPods& pods) {
    for (const JobPod& pod : pods) {
        if (pod.is_tracked) {
            lose_finalizers({&pod});
        }
        outcome_.writes.push_back(
            {.verb = Write::Verb::Delete,
             .name = std::string(pod.name),
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
        const Duration left = backoff_left(backoff_.failures, backoff_.last_failure, now_, pace_);
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
        if (per_index_limit_ && index) {
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
            {.verb = Write::Verb::Create,
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
    std::vector<std::int64_t> indexes = taken.first_missing(count, indexed_.value_or(0));
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
        const Duration left =
            backoff_left(pod.all_index_failures() + 1, pod.finished_at(), now_, pace_);
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

}  // namespace sluice::sim
