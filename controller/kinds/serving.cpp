#include "api/core/apps.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/members/serving_names.hpp"
#include "controller/jobs/serving/leader_worker_set_groups.hpp"
#include "controller/jobs/serving/serving_admission.hpp"
#include "controller/jobs/serving/stateful_set_groups.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcile/owned_workloads.hpp"

#include <algorithm>
#include <iterator>
#include <string>

// Kinds whose objects are not jobs, but create pods that are jobs.
namespace sluice::controller {

namespace {

/// Returns all objects that a reconcile of a StatefulSet or LeaderWorkerSet may write.
std::vector<ObjectKey> groups_of_maker(const Stores& stores, const ObjectKey& key) {
    std::vector<ObjectKey> objects;
    for (const auto& [name, pod] : pods_made_by(stores, key)) {
        objects.push_back({kind_of<api::Pod>(), name.namespace_, name.name});
    }
    std::ranges::move(
        keys_of(workloads_of_owner(stores, key, OwnerRole::Member)), std::back_inserter(objects)
    );
    return objects;
}

/// Visits the LeaderWorkerSet of a StatefulSet, whose status has the revisions of its pods.
void visit_leader_worker_set(
    const ChangeContext& context, const kube::Change<api::StatefulSet>& change, const Visit& visit
) {
    const Kind kind = leader_worker_set_names()->kind();
    const std::string* name =
        change.after ? change.after->metadata.find_label(kSetNameLabel) : nullptr;
    const KindEntry* sets = name == nullptr ? nullptr : context.registry.find(kind);
    if (sets != nullptr && sets->reconcile) {
        visit({kind, change.key.namespace_, *name});
    }
}

}  // namespace

KindEntry deployment_kind() {
    KindEntry entry = make_entry<api::Deployment>(Presence::Optional);
    entry.ancestor_role = AncestorRole::Managed;
    entry.admission = &deployment_admission();
    return entry;
}

KindEntry replica_set_kind() {
    KindEntry entry = make_entry<api::ReplicaSet>(Presence::Optional);
    entry.ancestor_role = AncestorRole::Passed;
    return entry;
}

KindEntry stateful_set_kind(bool is_managed) {
    KindEntry entry = make_entry<api::StatefulSet>(Presence::Optional);
    entry.ancestor_role = is_managed ? AncestorRole::Managed : AncestorRole::Passed;
    entry.edges.push_back(
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::StatefulSet>(visit_leader_worker_set)}
    );
    if (!is_managed) {
        return entry;
    }
    entry.admission = &stateful_set_admission();
    entry.controller = kStatefulSets;
    entry.metric_name = kStatefulSets;
    entry.edges.push_back(to_itself());
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_stateful_set(context.view, context.job_kinds, {key.ns, key.name}, now);
    };
    entry.also_written = groups_of_maker;
    return entry;
}

KindEntry leader_worker_set_kind() {
    KindEntry entry = make_dynamic_entry(leader_worker_set_names());
    entry.ancestor_role = AncestorRole::Managed;
    entry.admission = &leader_worker_set_admission();
    entry.controller = "leaderworkerset";
    entry.metric_name = entry.controller;
    entry.edges.push_back(to_itself());
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_leader_worker_set(
            context.view, context.job_kinds, {key.ns, key.name}, now
        );
    };
    entry.also_written = groups_of_maker;
    return entry;
}

}  // namespace sluice::controller
