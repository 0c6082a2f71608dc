#include "api/kueue/topology.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcilers/resource_flavor.hpp"

namespace sluice::controller {

KindEntry topology_kind() {
    KindEntry entry = make_entry<api::Topology>(Presence::Required);
    entry.controller = kTopologyController;
    entry.metric_name = "tas-topology-controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::Gathered,
         .translated = true,
         .find =
             [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit) {
                 for (const auto& [name, flavor] : context.stores.of<api::ResourceFlavor>().all()) {
                     if (flavor->spec.topology_name == change.key.name) {
                         visit_cluster_queues_of_flavor(context.stores, name.name, visit);
                     }
                 }
             }},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        const auto topology = input.stores.of<api::Topology>().find(name);
        input.apply_all(
            topology ? input.translator.set(*topology) : input.translator.remove_topology(name.name)
        );
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time) {
        return reconcile_topology(context.view.stores, key.name);
    };
    return entry;
}

}  // namespace sluice::controller
