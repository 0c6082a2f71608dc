#include "api/core/core.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcile/assigned_nodes.hpp"
#include "controller/reconcile/pod_rows.hpp"

namespace sluice::controller {
namespace {

/// Visits the Workloads whose assignments name the node, and their pods.
void visit_workloads_on_node(
    const ChangeContext& context, const kube::Change<api::Node>& change, const Visit& visit
) {
    if (!changes_host_state(change.before.get(), change.after.get())) {
        return;
    }
    for (const auto& node : {change.before, change.after}) {
        for (const std::string& host : node ? hostnames_of(*node) : std::vector<std::string>{}) {
            for (const auto& [name, workload] :
                 context.stores.of<api::Workload>().by_index(kAssignedHostIndex, host)) {
                visit({kind_of<api::Workload>(), name.namespace_, name.name});
                visit_pod_row(context.stores, *workload, visit);
            }
        }
    }
}

}  // namespace

/// Nodes make up topologies in the engine, and a failed node concerns the Workloads on it.
KindEntry node_kind() {
    KindEntry entry = make_entry<api::Node>(Presence::Optional);
    entry.make_store = []() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<api::Node>>(kind_of<api::Node>());
        store->objects().add_index(std::string(kHostnameIndex), hostnames_of);
        return store;
    };
    entry.edges = {
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Node>(visit_workloads_on_node)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        const auto node = input.stores.of<api::Node>().find(name);
        input.apply_all(
            node ? input.translator.set(*node) : input.translator.remove_node(name.name)
        );
    };
    return entry;
}

}  // namespace sluice::controller
