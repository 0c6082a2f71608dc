#include "controller/kinds/builtin_kinds.hpp"
#include "controller/kinds/registry.hpp"

namespace sluice::controller {

namespace {

void visit_all_in(const kube::AnyStore* store, const std::string& ns, const Visit& visit) {
    if (store == nullptr) {
        return;
    }
    for (const kube::NamespacedName& name : store->names_in(ns)) {
        visit({store->kind(), name.namespace_, name.name});
    }
}

/// Visits everything in a namespace whose labels change or whose deletion begins. The labels decide
/// whether its jobs are managed; nothing can be created again in a namespace that is being deleted.
void visit_jobs_and_workloads(
    const ChangeContext& context, const kube::Change<api::Namespace>& change, const Visit& visit
) {
    if (change.before && change.after &&
        change.before->metadata.labels == change.after->metadata.labels &&
        change.before->metadata.deletion_timestamp.has_value() ==
            change.after->metadata.deletion_timestamp.has_value()) {
        return;
    }
    for (const KindEntry& entry : context.registry.all()) {
        if (entry.job) {
            visit_all_in(context.stores.find(entry.kind), change.key.name, visit);
        }
    }
    visit_all_in(context.stores.find(kind_of<api::Workload>()), change.key.name, visit);
}

}  // namespace

KindEntry namespace_kind() {
    KindEntry entry = make_entry<api::Namespace>(Presence::Required);
    entry.edges = {
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Namespace>(visit_jobs_and_workloads)},
        // The selector of a ClusterQueue may match the namespace now, or no longer.
        {.reconciled = std::nullopt,
         .translated = true,
         .find =
             [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit) {
                 const kube::AnyStore* queues = context.stores.find(kind_of<api::LocalQueue>());
                 visit_all_in(queues, change.key.name, visit);
             }},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto ns = input.stores.of<api::Namespace>().find(name)) {
            input.translator.set(*ns);
        } else {
            input.translator.remove_namespace(name.name);
        }
    };
    return entry;
}

KindEntry limit_range_kind() {
    KindEntry entry = make_entry<api::LimitRange>(Presence::Optional);
    entry.edges = {
        {.reconciled = Urgency::AtOnce,
         .translated = true,
         .find =
             [](const ChangeContext& context, const kube::AnyChange& change, const Visit& visit) {
                 visit_all_in(context.stores.find(kind_of<api::Workload>()), change.key.ns, visit);
             }},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto range = input.stores.of<api::LimitRange>().find(name)) {
            input.translator.set(*range);
        } else {
            input.translator.remove_limit_range(name.namespace_, name.name);
        }
    };
    return entry;
}

}  // namespace sluice::controller
