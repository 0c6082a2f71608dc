#include "controller/reconcilers/local_queue.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/reconcile/pod_groups.hpp"

namespace sluice::controller {

namespace {

using LocalQueueChange = kube::Change<api::LocalQueue>;

bool is_new_local_spec(const LocalQueueChange& change) {
    return change.is_added() || change.is_removed() || change.before->spec != change.after->spec ||
           change.before->metadata.deletion_timestamp.has_value() !=
               change.after->metadata.deletion_timestamp.has_value();
}

void visit_cluster_queues(
    const ChangeContext&, const LocalQueueChange& change, const Visit& visit
) {
    if (!is_new_local_spec(change)) {
        return;
    }
    for (const auto& queue : {change.before, change.after}) {
        if (queue) {
            visit({kind_of<api::ClusterQueue>(), "", queue->spec.cluster_queue});
        }
    }
}

void visit_queued_workloads(
    const ChangeContext& context, const LocalQueueChange& change, const Visit& visit
) {
    if (is_new_local_spec(change)) {
        visit_workloads_of_queue(context.stores, change.key, visit);
    }
}

/// Visits the groups of pods in the queue: a group waits for missing pods only while its queue
/// exists.
void visit_queued_groups(
    const ChangeContext& context, const LocalQueueChange& change, const Visit& visit
) {
    if (!change.is_added() && !change.is_removed()) {
        return;
    }
    const auto& queued = workloads_of_queue(context.stores, change.key.namespace_, change.key.name);
    for (const auto& [name, workload] : queued) {
        const bool is_group = is_of_pod_group(workload->metadata);
        if (const auto owner =
                is_group ? find_owner(context.registry, workload->metadata) : std::nullopt) {
            visit(*owner);
        }
    }
}

}  // namespace

KindEntry local_queue_kind() {
    KindEntry entry = make_entry<api::LocalQueue>(Presence::Required);
    entry.controller = "localqueue";
    entry.metric_name = "localqueue_controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::Batched,
         .translated = false,
         .find = find_by<api::LocalQueue>(visit_cluster_queues)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::LocalQueue>(visit_queued_workloads)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::LocalQueue>(visit_queued_groups)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto queue = input.stores.of<api::LocalQueue>().find(name)) {
            const auto cluster_queue =
                input.stores.of<api::ClusterQueue>().find(queue->spec.cluster_queue);
            input.apply(
                engine::LocalQueueChanged{input.translator.local_queue(*queue, cluster_queue.get())}
            );
        } else {
            input.apply(engine::LocalQueueDeleted{.ns = name.namespace_, .name = name.name});
        }
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_local_queue(context.view, key.ns, key.name, context.consumed(key), now);
    };
    return entry;
}

}  // namespace sluice::controller
