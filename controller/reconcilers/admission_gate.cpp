#include "controller/reconcilers/admission_gate.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/pods/text.hpp"
#include "workload/status/messages.hpp"
#include "workload/status/status.hpp"
#include "workload/translation/queueable.hpp"

#include <string>
#include <string_view>

namespace sluice::controller {

namespace {

namespace reason = api::reason;

Write gate_write(const api::Workload& changed, std::string_view why, std::string_view note) {
    Write write = status_write(changed);
    write.events.push_back({
        .regarding = reference_to(changed),
        .reason = std::string(why),
        .note = workload::truncated_event_note(note),
        .reporting_controller = std::string(kWorkloadController),
    });
    return write;
}

bool reports_gate(const api::Workload& workload) {
    const auto* reserved = find_condition(workload, api::condition::kQuotaReserved);
    return reserved != nullptr && reserved->reason == reason::kAdmissionGated &&
           !is_preemption_gated(*reserved);
}

}  // namespace

std::optional<Write> follow_admission_gate(
    const api::Workload& workload,
    const std::optional<workload::Waiting>& waiting,
    const Settings& settings,
    Time now
) {
    const bool gated = workload::has_admission_gate(workload, settings.gates);
    // A gate delays admission; it does not end one (the annotation cannot be added after creation).
    if (!settings.gates.admission_gated_by || gated == reports_gate(workload) ||
        (gated && has_quota_reserved(workload))) {
        return std::nullopt;
    }
    api::Workload changed = workload;
    if (!gated) {
        workload::unset_reservation(
            changed,
            settings.gates.unadmitted_workloads_observability ? reason::kPendingEvaluation
                                                              : reason::kPending,
            "AdmissionGatedBy cleared, waiting for quota reservation",
            settings.gates,
            now
        );
        return gate_write(
            changed,
            reason::kAdmissionGateCleared,
            "Admission gate cleared, workload is now admissible"
        );
    }
    if (waiting && waiting->reason != reason::kAdmissionGated) {
        return std::nullopt;
    }
    const std::string& by = *workload.metadata.find_annotation(api::annotation::kAdmissionGatedBy);
    workload::unset_reservation(
        changed, reason::kAdmissionGated, "Admission is gated by: " + by, settings.gates, now
    );
    return gate_write(changed, reason::kAdmissionGated, "Workload admission is gated by: " + by);
}

}  // namespace sluice::controller
