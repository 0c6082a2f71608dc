#include "controller/reconcilers/pods_ready_deadline.hpp"

#include "api/kueue_names.hpp"
#include "controller/reconcilers/workload_status.hpp"

namespace sluice::controller {

namespace condition = api::condition;
namespace reason = api::reason;

std::optional<PodsReadyDeadline> find_pods_ready_deadline(
    const api::Workload& workload, const config::WaitForPodsReady& policy
) {
    if (!is_admitted(workload) || is_true(workload, condition::kPodsReady)) {
        return std::nullopt;
    }
    const api::Condition* ready = find_condition(workload, condition::kPodsReady);
    const bool has_failed = ready != nullptr && ready->reason == reason::kWaitForRecovery;
    if (has_failed && policy.recovery_timeout <= Duration::zero()) {
        return std::nullopt;
    }
    const api::Condition* since =
        has_failed ? ready : find_condition(workload, condition::kAdmitted);
    if (!since->last_transition_time) {
        return std::nullopt;
    }
    return PodsReadyDeadline{
        .at =
            *since->last_transition_time + (has_failed ? policy.recovery_timeout : policy.timeout),
        .cause = has_failed ? reason::kWaitForRecovery : reason::kWaitForStart,
    };
}

}  // namespace sluice::controller
