#include "controller/jobs/batch_job/batch_job.hpp"
#include "controller/jobs/reconciliation/job_reconciler.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcile/owned_workloads.hpp"

#include <utility>

namespace sluice::controller {

namespace {

/// Visits the other children of the Job's controller if the Job may have grown: there may be no
/// room for one of them any more.
void visit_siblings(
    const ChangeContext& context, const kube::Change<api::Job>& change, const Visit& visit
) {
    if (!change.before || !change.after ||
        change.before->metadata.generation == change.after->metadata.generation) {
        return;
    }
    const api::OwnerReference* owner = change.after->metadata.controller_owner();
    if (owner == nullptr) {
        return;
    }
    for (const Kind kind : context.registry.job_kinds().all()) {
        const kube::AnyStore* store = context.stores.find(kind);
        if (store == nullptr || kind == kind_of<api::Pod>()) {
            continue;
        }
        for (const auto& name : store->names_by_index(kChildIndex, owner->uid)) {
            visit({kind, name.namespace_, name.name});
        }
    }
}

}  // namespace

void make_jobs(KindEntry& entry, std::shared_ptr<const JobKind> job) {
    entry.edges.push_back(to_itself());
    entry.reconcile =
        [kind = job.get()](const ReconcileContext& context, const ObjectKey& key, Time now) {
            return reconcile_job(context.view, context.job_kinds, *kind, {key.ns, key.name}, now);
        };
    entry.also_written = [](const Stores& stores, const ObjectKey& key) {
        return keys_of(workloads_of_owner(stores, key));
    };
    entry.admission = job->admission();
    entry.job = std::move(job);
}

KindEntry job_kind() {
    KindEntry entry = make_entry<api::Job>(Presence::Required);
    entry.controller = "job";
    entry.metric_name = "job";
    make_jobs(entry, make_batch_job_kind());
    entry.edges.push_back(
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::Job>(visit_siblings)}
    );
    return entry;
}

void visit_jobs_of_priority_class(
    const Stores& stores, Kind kind, const std::string& priority_class, const Visit& visit
) {
    const kube::AnyStore* store = stores.find(kind);
    if (store == nullptr) {
        return;
    }
    for (const auto& name : store->names_by_index(kPriorityClassIndex, priority_class)) {
        visit({kind, name.namespace_, name.name});
    }
}

}  // namespace sluice::controller
