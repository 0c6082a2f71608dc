#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

// Steps of JobReconciliation that report the state of a job in its Workload.
namespace sluice::controller {

namespace {

namespace reason = api::reason;

/// How long to wait for the scheduler's first write to a Workload. Creation timestamps are in whole
/// seconds.
constexpr Duration kSchedulersTurn = std::chrono::seconds(2);

}  // namespace

JobReconciliation::Next JobReconciliation::update_own_condition() {
    auto change = pods_ == nullptr ? std::nullopt : pods_->own_condition(*workload_);
    return change ? write(std::move(*change)) : Next();
}

JobReconciliation::Next JobReconciliation::copy_admission_gate() {
    if (const auto problem = find_problem(job_)) {
        events_.push_back(job_warning(kind_, job_.metadata(), reason::kInvalidSpec, problem->detail)
        );
    }
    if (pods_ != nullptr && is_of_serving_object(workload_->metadata)) {
        return {};  // the object above the pods decides, whatever the pods say
    }
    constexpr const char* kGate = api::annotation::kAdmissionGatedBy;
    const std::string_view wanted = find_value(job_.metadata().annotations, kGate);
    const std::string_view present = find_value(workload_->metadata.annotations, kGate);
    if (wanted == present || !settings_.gates.admission_gated_by) {
        return {};
    }
    const json::Value value = wanted.empty() ? json::Value() : json::Value(wanted);
    Write w = workload_patch(
        *workload_,
        json::Object{
            {"metadata", json::Object{{"annotations", json::Object{{std::string(kGate), value}}}}},
        }
    );
    w.events.push_back(event(
        reason::kUpdatedWorkload, fmt::format("Updated workload AdmissionGatedBy to \"{}\"", wanted)
    ));
    return write(std::move(w));
}

/// Updates the priority of the slice that the job runs on before that of the slice that waits to
/// replace it: otherwise the waiting slice might preempt it.
JobReconciliation::Next JobReconciliation::copy_priority_classes() {
    if (kept_ && kept_ != workload_) {
        if (Next copy = copy_priority_class(*kept_)) {
            return copy;
        }
    }
    return copy_priority_class(*workload_);
}

/// Copies the class of the job's label to the Workload, unless the label names no class.
JobReconciliation::Next JobReconciliation::copy_priority_class(const api::Workload& workload) {
    const std::string_view label = find_value(job_.metadata().labels, api::label::kPriorityClass);
    const auto& ref = workload.spec.priority_class_ref;
    if (label.empty() || (ref && ref->name == label && ref->group == api::kKueueGroup)) {
        return {};
    }
    if (ref ? ref->group != api::kKueueGroup : has_quota_reserved(workload)) {
        return {};
    }
    const auto found = stores_.of<api::WorkloadPriorityClass>().find(label);
    if (!found) {
        // The Workload keeps its priority, because it may have to start or stop. The job is
        // reconciled when the class is created.
        events_.push_back(job_warning(
            kind_,
            job_.metadata(),
            reason::kWorkloadPriorityClassNotFound,
            fmt::format("WorkloadPriorityClass \"{}\" not found", label)
        ));
        return {};
    }
    const api::PriorityClassRef wanted{
        api::kKueueGroup, "WorkloadPriorityClass", std::string(label)
    };
    Write w = workload_patch(
        workload,
        json::Object{
            {"spec",
             json::Object{
                 {"priorityClassRef", api::to_value(wanted)},
                 {"priority", found->value},
             }},
        }
    );
    w.events.push_back(event(
        reason::kUpdatedWorkload, "Updated workload priority class: " + to_string(key_of(workload))
    ));
    return write(std::move(w));
}

JobReconciliation::Next JobReconciliation::update_reclaimable_pods() {
    return copy_reclaimable_pods(*workload_);
}

JobReconciliation::Next JobReconciliation::copy_reclaimable_pods(const api::Workload& workload) {
    if (!settings_.gates.reclaimable_pods) {
        return {};
    }
    const std::vector<api::ReclaimablePod> wanted = job_.reclaimable_pods(workload);
    const std::vector<api::ReclaimablePod>& present = workload.status.reclaimable_pods;
    // The numbers must not decrease while quota is held, except those of pods that an elastic job
    // no longer has.
    const auto count_in = [](const std::vector<api::ReclaimablePod>& list,
                             const std::string& name) {
        const auto found = std::ranges::find(list, name, &api::ReclaimablePod::name);
        return found == list.end() ? 0 : found->count;
    };
    const bool shrinks = std::ranges::any_of(present, [&](const api::ReclaimablePod& entry) {
        return count_in(wanted, entry.name) < entry.count;
    });
    const auto is_there = [&](const api::ReclaimablePod& entry) {
        return count_in(present, entry.name) == entry.count;
    };
    const bool is_same = wanted.size() == present.size() && std::ranges::all_of(wanted, is_there);
    if (is_same || (shrinks && has_quota_reserved(workload) && !is_elastic(job_, settings_))) {
        return {};
    }
    json::Array pods;
    for (const api::ReclaimablePod& entry : wanted) {
        pods.push_back(json::Object{{"name", entry.name}, {"count", entry.count}});
    }
    json::Value status = json::Object{};
    if (!pods.empty()) {
        status.set("reclaimablePods", std::move(pods));
    }
    return write(
        {.verb = Verb::ApplyStatus,
         .object = key_of(workload),
         .body =
             json::Object{
                 {"apiVersion", api::kKueueApiVersion},
                 {"kind", "Workload"},
                 {"metadata",
                  json::Object{
                      {"name", workload.metadata.name},
                      {"namespace", workload.metadata.namespace_},
                      {"uid", workload.metadata.uid},
                      {"resourceVersion", workload.metadata.resource_version},
                  }},
                 {"status", std::move(status)},
             },
         .field_manager = "kueue-reclaimable-pods"}
    );
}

/// With waitForPodsReady, reports whether the job's pods are ready. The scheduler's first write to
/// a Workload (admission or reason to wait) already says that they are not; a separate write is
/// made only if none comes soon.
JobReconciliation::Next JobReconciliation::update_pods_ready() {
    if (!settings_.wait_for_pods_ready) {
        return {};
    }
    const api::Condition* before = find_condition(*workload_, api::condition::kPodsReady);
    const bool admitted = is_admitted(*workload_);
    const Time soon = workload_->metadata.creation_timestamp.value_or(now_) + kSchedulersTurn;
    if (before == nullptr && now_ < soon &&
        find_condition(*workload_, api::condition::kQuotaReserved) == nullptr) {
        look_again_ = soon;
        return {};
    }
    const bool is_ready = admitted && job_.are_pods_ready();
    api::Workload changed = *workload_;
    workload::set_pods_ready(changed, workload::to_condition_status(is_ready), now_);
    report_order(changed);
    const api::Condition& after = *find_condition(changed, api::condition::kPodsReady);
    if (before != nullptr && *before == after) {
        return {};
    }
    Write w = status_write(changed);
    if (is_ready && after.reason == reason::kPodsStarted) {
        const api::Condition* since = find_condition(*workload_, api::condition::kAdmitted);
        const auto& admission = workload_->status.admission;
        w.observations.push_back({
            .kind = Observation::Kind::PodsReady,
            .cluster_queue = admission ? admission->cluster_queue : std::string(),
            .local_queue = workload_->spec.queue_name,
            .ns = workload_->metadata.namespace_,
            .priority_class = priority_class_name(*workload_),
            .since_queued = now_ - queued_since(*workload_),
            .since_admitted = now_ - since->last_transition_time.value_or(now_),
        });
    }
    return write(std::move(w));
}

/// Changes Kueue's message, which says that a pod has failed, for jobs that start pods in order.
void JobReconciliation::report_order(api::Workload& changed) const {
    auto& conditions = changed.status.conditions;
    const auto ready =
        std::ranges::find(conditions, api::condition::kPodsReady, &api::Condition::type_);
    if (ready != conditions.end() && ready->reason == reason::kWaitForRecovery &&
        job_.starts_in_order()) {
        ready->message =
            "Pods are not ready: they have failed, or the job's own order has started them since";
    }
}

}  // namespace sluice::controller
