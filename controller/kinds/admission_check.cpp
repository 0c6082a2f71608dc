#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcilers/resource_flavor.hpp"

namespace sluice::controller {

KindEntry admission_check_kind() {
    KindEntry entry = make_entry<api::AdmissionCheck>(Presence::Required);
    entry.controller = "admissioncheck";
    entry.metric_name = "admissioncheck_controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::Gathered,
         .translated = true,
         .find =
             [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit) {
                 for (const auto& [name, queue] :
                      cluster_queues_of_check(context.stores, change.key.name)) {
                     visit({kind_of<api::ClusterQueue>(), "", name.name});
                 }
             }},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto check = input.stores.of<api::AdmissionCheck>().find(name)) {
            input.translator.set(*check);
        } else {
            input.translator.remove_admission_check(name.name);
        }
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_admission_check(context.view.stores, key.name, now);
    };
    return entry;
}

}  // namespace sluice::controller
