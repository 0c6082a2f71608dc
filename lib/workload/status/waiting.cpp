#include "workload/status/waiting.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "workload/translation/queueable.hpp"

#include <fmt/format.h>

namespace sluice::workload {
namespace {

namespace reason = api::reason;

}  // namespace

std::optional<Waiting> find_queue_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator
) {
    const std::string& name = workload.spec.queue_name;
    if (queue == nullptr) {
        return Waiting{reason::kMisconfigured, fmt::format("LocalQueue {} doesn't exist", name)};
    }
    if (queue->spec.stop_policy != api::stop_policy::kNone) {
        return Waiting{reason::kSuspended, fmt::format("LocalQueue {} is inactive", name)};
    }
    if (cluster_queue == nullptr) {
        return Waiting{
            reason::kMisconfigured,
            fmt::format("ClusterQueue {} doesn't exist", queue->spec.cluster_queue)
        };
    }
    if (!translator.activity(*cluster_queue).is_active) {
        return Waiting{
            reason::kSuspended,
            fmt::format("ClusterQueue {} is inactive", queue->spec.cluster_queue)
        };
    }
    return std::nullopt;
}

std::optional<Waiting> find_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator,
    const TranslationGates& gates
) {
    if (!workload.spec.active.value_or(true)) {
        return Waiting{reason::kDeactivated, "The workload is deactivated"};
    }
    const auto* reserved =
        api::find_condition(workload.status.conditions, api::condition::kQuotaReserved);
    if (reserved != nullptr && reserved->status == api::condition_status::kFalse &&
        reserved->reason == reason::kOnHold) {
        return Waiting{reserved->reason, reserved->message};
    }
    if (auto obstacle = find_queue_obstacle(workload, queue, cluster_queue, translator)) {
        return obstacle;
    }
    if (const auto refusal = translator.find_inadmissibility(workload, *cluster_queue)) {
        return Waiting{reason::kMisconfigured, *refusal};
    }
    if (has_admission_gate(workload, gates)) {
        const auto* by = workload.metadata.find_annotation(api::annotation::kAdmissionGatedBy);
        return Waiting{reason::kAdmissionGated, fmt::format("Admission is gated by: {}", *by)};
    }
    return std::nullopt;
}

}  // namespace sluice::workload
