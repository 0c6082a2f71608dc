#include "workload/waiting.hpp"

#include "api/conditions.hpp"
#include "workload/queueable.hpp"

#include <fmt/format.h>

namespace sluice::workload {
namespace {

std::optional<Waiting> find_queue_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator
) {
    const std::string& name = workload.spec.queue_name;
    if (queue == nullptr) {
        return Waiting{"Misconfigured", fmt::format("LocalQueue {} doesn't exist", name)};
    }
    if (queue->spec.stop_policy != "None") {
        return Waiting{"Suspended", fmt::format("LocalQueue {} is inactive", name)};
    }
    if (cluster_queue == nullptr) {
        return Waiting{
            "Misconfigured", fmt::format("ClusterQueue {} doesn't exist", queue->spec.cluster_queue)
        };
    }
    if (!translator.activity(*cluster_queue).is_active) {
        return Waiting{
            "Suspended", fmt::format("ClusterQueue {} is inactive", queue->spec.cluster_queue)
        };
    }
    return std::nullopt;
}

}  // namespace

std::optional<Waiting> find_obstacle(
    const api::Workload& workload,
    const api::LocalQueue* queue,
    const api::ClusterQueue* cluster_queue,
    const Translator& translator,
    const TranslationGates& gates
) {
    if (!workload.spec.active.value_or(true)) {
        return Waiting{"Deactivated", "The workload is deactivated"};
    }
    const auto* reserved = api::find_condition(workload.status.conditions, "QuotaReserved");
    if (reserved != nullptr && reserved->status == "False" && reserved->reason == "OnHold") {
        return Waiting{reserved->reason, reserved->message};
    }
    if (auto obstacle = find_queue_obstacle(workload, queue, cluster_queue, translator)) {
        return obstacle;
    }
    if (const auto refusal = translator.find_inadmissibility(workload, *cluster_queue)) {
        return Waiting{"Misconfigured", *refusal};
    }
    if (has_admission_gate(workload, gates)) {
        const auto* by = workload.metadata.find_annotation("kueue.x-k8s.io/admission-gated-by");
        return Waiting{"AdmissionGated", fmt::format("Admission is gated by: {}", *by)};
    }
    return std::nullopt;
}

}  // namespace sluice::workload
