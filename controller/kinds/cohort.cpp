#include "controller/reconcilers/cohort.hpp"

#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcilers/cohort_tree.hpp"

namespace sluice::controller {

namespace {

using CohortChange = kube::Change<api::Cohort>;

/// Visits the Cohorts in and below a cycle of parents that exists now or existed before the change.
void visit_cycle(const ChangeContext& context, const CohortChange& change, const Visit& visit) {
    if (!concerns_cycle(context.stores, change)) {
        return;
    }
    for (const std::string& cohort : find_cohort_tree(context.stores, change.key.name).cohorts) {
        visit({kind_of<api::Cohort>(), "", cohort});
    }
}

/// Visits the ClusterQueues below a cycle of parents: the cycle makes them inactive.
void visit_queues_of_cycle(
    const ChangeContext& context, const CohortChange& change, const Visit& visit
) {
    if (!concerns_cycle(context.stores, change)) {
        return;
    }
    const CohortTree tree = find_cohort_tree(context.stores, change.key.name);
    for (const std::string& queue : tree.cluster_queues) {
        visit({kind_of<api::ClusterQueue>(), "", queue});
    }
}

}  // namespace

KindEntry cohort_kind() {
    KindEntry entry = make_entry<api::Cohort>(Presence::Required);
    entry.controller = "cohort";
    entry.metric_name = "cohort_controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Cohort>(visit_cycle)},
        {.reconciled = Urgency::AtOnce,
         .translated = true,
         .find = find_by<api::Cohort>(visit_queues_of_cycle)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        if (const auto cohort = input.stores.of<api::Cohort>().find(name)) {
            input.translator.set(*cohort);
            input.apply(engine::CohortChanged{input.translator.cohort(*cohort)});
        } else {
            input.translator.remove_cohort(name.name);
            input.apply(engine::CohortDeleted{name.name});
        }
    };
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time) {
        return reconcile_cohort(context.view, key.name, context.weighted_share(key));
    };
    return entry;
}

}  // namespace sluice::controller
