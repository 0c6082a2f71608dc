#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/batch_job_view.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

// The progress of a Job: its end, its ready pods and its reclaimable pods.
namespace sluice::controller {

namespace {

/// Parses the whole text as an index; nullopt if it is not an integer from 0 on.
std::optional<std::int32_t> parse_index(std::string_view text) {
    std::int32_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && index >= 0 ? std::optional(index) : std::nullopt;
}

const api::ObjectCondition* find_suspended(const api::Job& job) {
    const auto& conditions = job.status.conditions;
    const auto found =
        std::ranges::find(conditions, api::condition::kJobSuspended, &api::ObjectCondition::type_);
    return found == conditions.end() ? nullptr : &*found;
}

}  // namespace

std::int32_t count_indexes(std::initializer_list<std::string_view> lists, std::int32_t limit) {
    using Range = std::pair<std::int64_t, std::int64_t>;
    std::vector<Range> ranges;
    for (std::string_view text : lists) {
        while (!text.empty()) {
            const std::size_t comma = text.find(',');
            const std::string_view part = text.substr(0, comma);
            const std::size_t dash = part.find('-');
            const auto first = parse_index(part.substr(0, dash));
            const auto last =
                dash == std::string_view::npos ? first : parse_index(part.substr(dash + 1));
            if (first && last) {
                ranges.emplace_back(*first, std::min<std::int64_t>(*last, std::int64_t{limit} - 1));
            }
            text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        }
    }
    std::ranges::sort(ranges);
    std::int64_t count = 0;
    std::int64_t next = 0;  // the first index that is not counted yet
    for (const auto& [first, last] : ranges) {
        const std::int64_t begin = std::max(first, next);
        if (begin <= last) {
            count += last - begin + 1;
            next = last + 1;
        }
    }
    return static_cast<std::int32_t>(count);
}

std::optional<JobEnd> BatchJob::find_end() const {
    for (const api::ObjectCondition& condition : job_->status.conditions) {
        const bool is_complete = condition.type_ == api::condition::kJobComplete;
        if (condition.status == api::condition_status::kTrue &&
            (is_complete || condition.type_ == api::condition::kJobFailed)) {
            return JobEnd{
                .result = is_complete ? JobEnd::Result::Succeeded : JobEnd::Result::Failed,
                .message = condition.message,
            };
        }
    }
    return std::nullopt;
}

bool BatchJob::is_resuming() const {
    const auto* suspended = find_suspended(*job_);
    return !job_->spec.suspend.value_or(false) && suspended != nullptr &&
           suspended->status == api::condition_status::kTrue;
}

std::optional<Time> BatchJob::resumed_at() const {
    const auto* suspended = find_suspended(*job_);
    return suspended != nullptr && suspended->status == api::condition_status::kFalse
               ? suspended->last_transition_time
               : std::nullopt;
}

bool BatchJob::are_pods_ready() const {
    const auto& uncounted = job_->status.uncounted_terminated_pods;
    const std::size_t ended = uncounted ? uncounted->succeeded.size() : 0;
    return std::int64_t{job_->status.succeeded} + job_->status.ready.value_or(0) +
               static_cast<std::int64_t>(ended) >=
           pod_count();
}

std::vector<api::ReclaimablePod> BatchJob::reclaimable_pods(const api::Workload& workload) const {
    const std::int32_t parallelism = job_->spec.parallelism.value_or(1);
    if (parallelism <= 1 || workload.spec.pod_sets.size() != 1) {
        return {};
    }
    const std::int32_t completions = job_->spec.completions.value_or(parallelism);
    std::int64_t terminal = job_->status.succeeded;
    if (job_->spec.completion_mode == "Indexed") {
        terminal = count_indexes(
            {job_->status.completed_indexes, job_->status.failed_indexes}, completions
        );
    }
    if (terminal == 0) {
        return {};
    }
    const api::PodSet& pod_set = workload.spec.pod_sets.front();
    const std::int64_t remaining = std::max<std::int64_t>(0, completions - terminal);
    if (remaining >= parallelism) {
        return {};
    }
    // The quota counts the pod set's count, even if fewer pods were admitted.
    const std::int64_t spare =
        std::clamp<std::int64_t>(pod_set.count - remaining, 0, std::max(pod_set.count, 0));
    if (spare == 0) {
        return {};
    }
    return {{.name = pod_set.name, .count = static_cast<std::int32_t>(spare)}};
}

}  // namespace sluice::controller
