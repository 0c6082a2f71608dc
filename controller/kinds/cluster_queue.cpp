#include "controller/reconcilers/cluster_queue.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/kinds/builtin_kinds.hpp"

#include <set>
#include <string>

namespace sluice::controller {

namespace {

using ClusterQueueChange = kube::Change<api::ClusterQueue>;

std::string active_status(const api::ClusterQueue& queue) {
    for (const api::Condition& condition : queue.status.conditions) {
        if (condition.type_ == api::condition::kActive) {
            return condition.status;
        }
    }
    return "";
}

bool is_new_spec(const ClusterQueueChange& change) {
    return change.is_added() || change.is_removed() || change.before->spec != change.after->spec;
}

/// Returns true if the change concerns the workloads of the queue.
bool concerns_workloads(const ClusterQueueChange& change) {
    if (change.is_added() || change.is_removed()) {
        return true;
    }
    const api::ClusterQueue& before = *change.before;
    const api::ClusterQueue& after = *change.after;
    return before.spec.stop_policy != after.spec.stop_policy ||
           before.spec.admission_checks_strategy != after.spec.admission_checks_strategy ||
           before.metadata.deletion_timestamp.has_value() !=
               after.metadata.deletion_timestamp.has_value() ||
           before.spec.namespace_selector != after.spec.namespace_selector ||
           active_status(before) != active_status(after);
}

void visit_local_queues(
    const ChangeContext& context, const ClusterQueueChange& change, const Visit& visit
) {
    for (const auto& [name, queue] : local_queues_of(context.stores, change.key.name)) {
        visit({kind_of<api::LocalQueue>(), name.namespace_, name.name});
    }
}

void visit_local_queues_to_look_at(
    const ChangeContext& context, const ClusterQueueChange& change, const Visit& visit
) {
    if (is_new_spec(change) ||
        change.before->status.conditions != change.after->status.conditions) {
        visit_local_queues(context, change, visit);
    }
}

void visit_workloads(
    const ChangeContext& context, const ClusterQueueChange& change, const Visit& visit
) {
    if (!concerns_workloads(change)) {
        return;
    }
    for (const auto& [name, queue] : local_queues_of(context.stores, change.key.name)) {
        visit_workloads_of_queue(context.stores, name, visit);
    }
}

/// Visits the flavors and checks of the queue: their finalizer depends on whether they are in use.
void visit_references(const ChangeContext&, const ClusterQueueChange& change, const Visit& visit) {
    if (!is_new_spec(change)) {
        return;
    }
    for (const auto& queue : {change.before, change.after}) {
        if (!queue) {
            continue;
        }
        for (const auto& group : queue->spec.resource_groups) {
            for (const auto& flavor : group.flavors) {
                visit({kind_of<api::ResourceFlavor>(), "", flavor.name});
            }
        }
        if (const auto& strategy = queue->spec.admission_checks_strategy) {
            for (const auto& check : strategy->admission_checks) {
                visit({kind_of<api::AdmissionCheck>(), "", check.name});
            }
        }
    }
}

/// Visits all cohorts above the queue: their shares depend on the usage below them.
void visit_cohorts(
    const ChangeContext& context, const ClusterQueueChange& change, const Visit& visit
) {
    std::set<std::string> seen;
    for (const auto& queue : {change.before, change.after}) {
        std::string name = queue ? queue->spec.cohort_name : std::string();
        while (!name.empty() && seen.insert(name).second) {
            const auto cohort = context.stores.of<api::Cohort>().find(name);
            if (cohort) {
                visit({kind_of<api::Cohort>(), "", name});
            }
            name = cohort ? cohort->spec.parent_name : std::string();
        }
    }
}

}  // namespace

KindEntry cluster_queue_kind() {
    KindEntry entry = make_entry<api::ClusterQueue>(Presence::Required);
    entry.controller = "clusterqueue";
    entry.metric_name = "clusterqueue_controller";
    entry.edges = {
        to_itself(),
        // The queue's selector may now match other namespaces of its LocalQueues.
        {.reconciled = std::nullopt,
         .translated = true,
         .find = find_by<api::ClusterQueue>(visit_local_queues)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::ClusterQueue>(visit_local_queues_to_look_at)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::ClusterQueue>(visit_workloads)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::ClusterQueue>(visit_references)},
        {.reconciled = Urgency::Batched,
         .translated = false,
         .find = find_by<api::ClusterQueue>(visit_cohorts)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto queue = input.stores.of<api::ClusterQueue>().find(name)) {
            input.apply(engine::ClusterQueueChanged{input.translator.cluster_queue(*queue)});
        } else {
            input.apply(engine::ClusterQueueDeleted{name.name});
        }
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        const QueueAccount account{
            context.weighted_share(key), context.has_holders(key.name), context.drift(key)
        };
        return reconcile_cluster_queue(context.view, key.name, account, now);
    };
    return entry;
}

}  // namespace sluice::controller
