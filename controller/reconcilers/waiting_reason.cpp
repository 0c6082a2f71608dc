#include "controller/reconcilers/waiting_reason.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"

namespace sluice::controller {

namespace reason = api::reason;

std::optional<workload::Waiting> find_waiting_reason(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const workload::Translator& translator,
    const Settings& settings
) {
    const workload::TranslationGates& gates = settings.gates;
    if (!gates.unadmitted_workloads_observability) {
        auto obstacle = workload::find_queue_obstacle(workload, queue, cluster_queue, translator);
        if (obstacle) {
            obstacle->reason = reason::kInadmissible;
        }
        return obstacle;
    }
    if (auto obstacle =
            workload::find_obstacle(workload, queue, cluster_queue, translator, gates)) {
        return obstacle;
    }
    const api::Condition* present = find_condition(workload, api::condition::kQuotaReserved);
    if (present == nullptr && !gates.unadmitted_workloads_explicit_status) {
        return std::nullopt;
    }
    if (present != nullptr &&
        (is_scheduler_reason(present->reason) || is_preemption_gated(*present))) {
        return workload::Waiting{present->reason, present->message};
    }
    return workload::Waiting{
        reason::kPendingEvaluation, "Workload is pending evaluation in the scheduling queue"
    };
}

}  // namespace sluice::controller
