#include "controller/reconcilers/resource_flavor.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "workload/capacity/capacity_rule.hpp"

namespace sluice::controller {

namespace {

/// Visits the Topology of the flavor: it is in use while a flavor names it.
void visit_topology(
    const ChangeContext& /*context*/,
    const kube::Change<api::ResourceFlavor>& change,
    const Visit& visit
) {
    for (const auto& flavor : {change.before, change.after}) {
        if (flavor && !flavor->spec.topology_name.empty()) {
            visit({kind_of<api::Topology>(), "", flavor->spec.topology_name});
        }
    }
}

/// Visits the Workloads that hold quota, after the flavor began or ceased to enforce capacity.
void visit_holders(
    const ChangeContext& context,
    const kube::Change<api::ResourceFlavor>& change,
    const Visit& visit
) {
    const bool before = change.before && workload::enforces_capacity(*change.before);
    const bool after = change.after && workload::enforces_capacity(*change.after);
    if (before == after) {
        return;
    }
    for (const auto& [name, workload] : context.stores.of<api::Workload>().all()) {
        if (workload->status.admission) {
            visit({kind_of<api::Workload>(), name.namespace_, name.name});
        }
    }
}

}  // namespace

KindEntry resource_flavor_kind() {
    KindEntry entry = make_entry<api::ResourceFlavor>(Presence::Required);
    entry.controller = "resourceflavor";
    entry.metric_name = "resourceflavor_controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::Gathered,
         .translated = true,
         .find = [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit
                 ) { visit_cluster_queues_of_flavor(context.stores, change.key.name, visit); }},
        {.reconciled = std::nullopt,
         .translated = true,
         .find = find_by<api::ResourceFlavor>(visit_holders)},
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::ResourceFlavor>(visit_topology)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        const auto flavor = input.stores.of<api::ResourceFlavor>().find(name);
        input.apply_all(
            flavor ? input.translator.set(*flavor) : input.translator.remove_flavor(name.name)
        );
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time) {
        return reconcile_resource_flavor(context.view.stores, key.name);
    };
    return entry;
}

void visit_cluster_queues_of_flavor(
    const Stores& stores, const std::string& flavor, const Visit& visit
) {
    for (const auto& [name, queue] : cluster_queues_of_flavor(stores, flavor)) {
        visit({kind_of<api::ClusterQueue>(), "", name.name});
    }
}

}  // namespace sluice::controller
