#include "controller/reconcile/lost_job.hpp"

#include "api/core/pod.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace sluice::controller {

namespace {

/// How long to wait for the job to take its Workload back. The job is reconciled at once when the
/// Workload loses it. If the job is deleted meanwhile, only this timer reconciles the Workload
/// again.
constexpr Duration kJobsTurn = std::chrono::seconds(5);

/// Returns true if the job with the uid is in the store and is not being deleted.
bool has_live_job(const kube::AnyStore& store, const std::string& ns, const std::string& uid) {
    return std::ranges::any_of(store.names_in(ns), [&](const kube::NamespacedName& name) {
        const api::ObjectMeta& job = *store.find_metadata(name);
        return job.uid == uid && !job.deletion_timestamp;
    });
}

}  // namespace

const std::string* lost_job_of(const api::ObjectMeta& workload) {
    return workload.owner_references.empty() ? workload.find_label(api::label::kJobUid) : nullptr;
}

bool holds_quota_of_another(const api::Workload& workload, std::string_view job_uid) {
    const std::string* of = workload.metadata.find_label(api::label::kJobUid);
    return of != nullptr && *of != job_uid && has_quota_reserved(workload) &&
           !is_finished(workload);
}

Outcome end_without_job(
    const Stores& stores, const std::set<Kind>* job_kinds, const api::Workload& workload, Time now
) {
    const std::string* uid = lost_job_of(workload.metadata);
    Outcome outcome;
    for (const Kind& kind : job_kinds == nullptr ? std::set<Kind>() : *job_kinds) {
        const kube::AnyStore* store = stores.find(kind);
        // Pods are skipped: they may belong to other jobs by now, and get a new Workload.
        if (uid != nullptr && store != nullptr && kind != kind_of<api::Pod>() &&
            has_live_job(*store, workload.metadata.namespace_, *uid)) {
            outcome.requeue_at = now + kJobsTurn;
            return outcome;
        }
    }
    outcome.writes.push_back(finish_orphan(workload, now));
    return outcome;
}

}  // namespace sluice::controller
