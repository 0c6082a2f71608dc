#include "workload/translation/execution_limit.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace sluice::workload {

std::optional<Time> execution_limit(const api::Workload& workload) {
    const auto limit = workload.spec.maximum_execution_time_seconds;
    const api::Condition* admitted =
        api::find_condition(workload.status.conditions, api::condition::kAdmitted);
    if (!limit || admitted == nullptr || admitted->status != api::condition_status::kTrue ||
        !admitted->last_transition_time) {
        return std::nullopt;
    }
    const auto past = workload.status.accumulated_past_execution_time_seconds.value_or(0);
    const std::chrono::seconds left(std::int64_t{*limit} - past);
    // Years that no clock shows can be in a status that somebody wrote.
    const auto since_epoch = std::clamp<std::int64_t>(
        std::chrono::floor<std::chrono::seconds>(admitted->last_transition_time->time_since_epoch())
                .count() +
            left.count(),
        std::chrono::ceil<std::chrono::seconds>(Duration::min()).count(),
        std::chrono::floor<std::chrono::seconds>(Duration::max()).count()
    );
    return Time(std::chrono::seconds(since_epoch));
}

}  // namespace sluice::workload
