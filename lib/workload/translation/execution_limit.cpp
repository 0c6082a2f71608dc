#include "workload/translation/execution_limit.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"

#include <chrono>

namespace sluice::workload {

std::optional<Time> execution_limit(const api::Workload& workload) {
    const auto limit = workload.spec.maximum_execution_time_seconds;
    const api::Condition* admitted =
        api::find_condition(workload.status.conditions, api::condition::kAdmitted);
    if (!limit || admitted == nullptr || admitted->status != api::condition_status::kTrue ||
        !admitted->last_transition_time) {
        return std::nullopt;
    }
    const std::chrono::seconds past(
        workload.status.accumulated_past_execution_time_seconds.value_or(0)
    );
    return *admitted->last_transition_time + std::chrono::seconds(*limit) - past;
}

}  // namespace sluice::workload
