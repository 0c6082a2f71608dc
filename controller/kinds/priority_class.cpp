#include "api/kueue/priority_class.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/reconcilers/workload_priority_class.hpp"

namespace sluice::controller {

namespace {

bool has_new_value(const kube::Change<api::WorkloadPriorityClass>& change) {
    return change.after && (change.is_added() || change.before->value != change.after->value);
}

}  // namespace

KindEntry workload_priority_class_kind() {
    using Change = kube::Change<api::WorkloadPriorityClass>;
    KindEntry entry = make_entry<api::WorkloadPriorityClass>(Presence::Required);
    entry.controller = "workloadpriorityclass";
    entry.metric_name = "workloadpriorityclass_controller";
    entry.edges = {
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::WorkloadPriorityClass>([](const ChangeContext& context,
                                                        const Change& change,
                                                        const Visit& visit) {
             if (!has_new_value(change)) {
                 return;
             }
             visit({kind_of<api::WorkloadPriorityClass>(), "", change.key.name});
             for (const KindEntry& job : context.registry.all()) {
                 if (job.job) {
                     visit_jobs_of_priority_class(context.stores, job.kind, change.key.name, visit);
                 }
             }
         })},
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time) {
        return reconcile_workload_priority_class(context.view.stores, key.name);
    };
    return entry;
}

/// PriorityClasses are read when a Workload is created. A job whose class is missing tries again on
/// its own.
KindEntry priority_class_kind() {
    return make_entry<api::PriorityClass>(Presence::Optional);
}

}  // namespace sluice::controller
