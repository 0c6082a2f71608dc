#include "controller/reconcilers/job.hpp"

#include "controller/kinds/builtin_kinds.hpp"

namespace sluice::controller {

KindEntry job_kind() {
    KindEntry entry = make_entry<api::Job>(Presence::Required);
    entry.controller = "job";
    entry.metric_name = "job";
    entry.is_job = true;
    entry.integration = "batch/job";
    entry.edges = {to_itself()};
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_job(context.view, key.ns, key.name, now);
    };
    entry.also_written = [](const Stores& stores, const ObjectKey& key) {
        std::vector<ObjectKey> workloads;
        for (const auto& [name, workload] : workloads_of_owner(stores, key)) {
            workloads.push_back({kind_of<api::Workload>(), name.namespace_, name.name});
        }
        return workloads;
    };
    return entry;
}

void visit_jobs_of_priority_class(
    const Stores& stores, Kind kind, const std::string& priority_class, const Visit& visit
) {
    const kube::AnyStore* store = stores.find(kind);
    if (store == nullptr) {
        return;
    }
    for (const kube::NamespacedName& name :
         store->names_by_index(kPriorityClassIndex, priority_class)) {
        visit({kind, name.namespace_, name.name});
    }
}

}  // namespace sluice::controller
