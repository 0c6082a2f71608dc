#include "controller/jobs/reconciliation/job_reconciler.hpp"

#include "base/earlier.hpp"
#include "controller/jobs/reconciliation/job_reconciliation.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::controller {

namespace {

/// Ends a Workload whose owner is gone: after the pods have ended it is finished, which frees its
/// quota; then its finalizer is removed.
void finalize_orphan(const View& view, const api::Workload& workload, Time now, Outcome& outcome) {
    const Settings& settings = view.settings;
    if (auto left = wait_for_left_pods(view.stores, settings, view.job_kinds, workload, now)) {
        std::ranges::move(left->writes, std::back_inserter(outcome.writes));
        std::ranges::move(left->events, std::back_inserter(outcome.events));
        outcome.requeue_at = earlier(outcome.requeue_at, left->requeue_at);
        return;
    }
    if (!workload.metadata.deletion_timestamp && !is_finished(workload) &&
        settings.finish_orphaned_workloads) {
        outcome.writes.push_back(finish_orphan(workload, now));
    } else if (auto without = remove_finalizer(workload)) {
        outcome.writes.push_back(std::move(*without));
    }
}

}  // namespace

Outcome reconcile_job(
    const View& view,
    const JobKinds& kinds,
    const JobKind& kind,
    const kube::NamespacedName& name,
    Time now
) {
    Outcome outcome;
    const kube::AnyStore* store = view.stores.find(kind.kind());
    if (!store->has_synced()) {
        return outcome;  // it is unknown whether the job exists
    }
    const auto job = kind.find_at(view.stores, view.settings, name, now);
    if (job && has_unreadable_workload(view.stores, job->metadata())) {
        return outcome;  // the admission is unknown until the Workload can be read again
    }
    const auto& unreadable = view.stores.find(kind_of<api::Workload>())->unreadable();
    const ObjectKey key{kind.kind(), name.namespace_, name.name};
    for (const auto& [workload_name, workload] : workloads_of_owner(view.stores, key)) {
        if (unreadable.contains(workload_name)) {
            continue;  // its last readable version is outdated: a write would be refused
        }
        if (!job || !is_owned_by(workload->metadata, job->metadata().uid)) {
            finalize_orphan(view, *workload, now, outcome);
        }
    }
    if (!outcome.writes.empty()) {
        return outcome;
    }
    Outcome next = job ? JobReconciliation(view, kinds, kind, *job, now).run()
                       : kind.release(view.stores, view.settings, name);
    if (outcome.requeue_at) {
        next.requeue_at = earlier(next.requeue_at, outcome.requeue_at);
    }
    std::ranges::move(outcome.events, std::back_inserter(next.events));
    return next;
}

}  // namespace sluice::controller
