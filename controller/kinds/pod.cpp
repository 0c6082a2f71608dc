#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/group_pods.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/pod/pod_kind.hpp"
#include "controller/jobs/reconciliation/job_reconciler.hpp"
#include "controller/jobs/reconciliation/pod_row.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/reconcile/left_pods.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/reconcilers/rejected_pods.hpp"
#include "kube/core/raw_json.hpp"
#include "workload/pods/node_fit.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::controller {

namespace {

/// Changes of larger groups are gathered for a moment: each reconcile reads all pods of the group,
/// and each pod changes several times.
constexpr std::size_t kSmallGroup = 64;

bool concerns_job(const api::Pod& pod) {
    return is_marked_managed(pod.metadata) || pod.metadata.has_finalizer(api::finalizer::kManaged);
}

/// Returns true if the pod is a job: by its labels and finalizer or, if these were removed, by its
/// Workload.
bool is_job(const Stores& stores, const api::Pod& pod) {
    return concerns_job(pod) || !workloads_of_owner(stores, key_of(pod)).empty();
}

const kube::Store<api::Pod>::Objects& members_of(const Stores& stores, const ObjectKey& group) {
    return stores.of<api::Pod>().by_index(
        kPodGroupIndex, group.ns + "/" + std::string(group_in_name(group.name))
    );
}

std::optional<ObjectKey> group_of(const api::Pod& pod, bool by_annotation) {
    const std::string_view group = pod_group_of(pod.metadata, by_annotation);
    return group.empty() ? std::nullopt
                         : std::optional(pod_group_key(pod.metadata.namespace_, group));
}

/// Visits the key under which a pod is reconciled as a job, if the change has that urgency.
Edge to_job_of_pod(bool by_annotation, Urgency urgency) {
    return {
        .reconciled = urgency,
        .translated = false,
        .find = find_by<api::Pod>([by_annotation, urgency](
                                      const ChangeContext& context,
                                      const kube::Change<api::Pod>& change,
                                      const Visit& visit
                                  ) {
            for (const auto& pod : {change.before, change.after}) {
                if (!pod) {
                    continue;
                }
                const auto group = group_of(*pod, by_annotation);
                const bool is_large =
                    group && members_of(context.stores, *group).size() > kSmallGroup;
                const bool is_of_this_edge = (urgency == Urgency::Gathered) == is_large;
                if (!is_of_this_edge || (!group && !is_job(context.stores, *pod))) {
                    continue;
                }
                visit(group ? *group : key_of(*pod));
            }
        }),
    };
}

/// Visits the object that made a pod as a member of a group, if the change has that urgency.
Edge to_maker_of_pod(Urgency urgency) {
    return {
        .reconciled = urgency,
        .translated = false,
        .find = find_by<api::Pod>([urgency](
                                      const ChangeContext& context,
                                      const kube::Change<api::Pod>& change,
                                      const Visit& visit
                                  ) {
            for (const auto& pod : {change.before, change.after}) {
                const auto maker = pod ? find_maker(*pod) : std::nullopt;
                const KindEntry* entry = maker ? context.registry.find(maker->kind) : nullptr;
                if (entry == nullptr || !entry->reconcile) {
                    continue;
                }
                const bool is_large = pods_made_by(context.stores, *maker).size() > kSmallGroup;
                if ((urgency == Urgency::Gathered) == is_large) {
                    visit(*maker);
                }
            }
        }),
    };
}

std::vector<ObjectKey> pods_of_row(const Stores& stores, const ObjectKey& key) {
    std::vector<ObjectKey> row;
    const std::string slice = key.ns + "/" + std::string(row_in_name(key.name));
    for (const auto& [name, pod] : stores.of<api::Pod>().by_index(kSliceIndex, slice)) {
        row.push_back({kind_of<api::Pod>(), name.namespace_, name.name});
    }
    return row;
}

/// Returns all objects that a reconcile of a pod or a group may write.
std::vector<ObjectKey> objects_of_job(const Stores& stores, const ObjectKey& key) {
    if (!row_in_name(key.name).empty()) {
        return pods_of_row(stores, key);
    }
    std::vector<ObjectKey> objects;
    const std::string_view group = group_in_name(key.name);
    if (!group.empty()) {
        for (const auto& [name, pod] : members_of(stores, key)) {
            objects.push_back({key.kind, name.namespace_, name.name});
        }
        objects.push_back({kind_of<api::Workload>(), key.ns, std::string(group)});
        return objects;
    }
    return keys_of(workloads_of_owner(stores, key));
}

/// Returns true if the pod has no node yet, and waits for a topology domain or in one.
bool waits_for_node(const api::Pod& pod) {
    return pod.spec.node_name.empty() &&
           (workload::asks_for_topology(pod.metadata) ||
            std::ranges::any_of(pod.spec.scheduling_gates, [](const auto& gate) {
                return gate.name == api::scheduling_gate::kTopology;
            }));
}

/// Visits the row that the pod belongs to: the end of one pod makes room for others. Rows without
/// gates are left out.
void visit_row(
    const ChangeContext& context, const kube::Change<api::Pod>& change, const Visit& visit
) {
    for (const auto& pod : {change.before, change.after}) {
        if (!pod) {
            continue;
        }
        for (const std::string& slice : slices_of_pod(*pod)) {
            const auto workload =
                context.stores.of<api::Workload>().find(kube::parse_namespaced_name(slice));
            if (!workload || has_gated_pods(*workload, true) || waits_for_node(*pod)) {
                visit(pod_row_key(slice));
            }
        }
    }
}

/// Visits the Workload of a pod that leaves a node which is not usable: once no pod is left there,
/// the node is replaced.
void visit_workload_on_node(
    const ChangeContext& context, const kube::Change<api::Pod>& change, const Visit& visit
) {
    const auto& pod = change.after ? change.after : change.before;
    const Stores& stores = context.stores;
    if (!pod || pod->spec.node_name.empty() || stores.find(kind_of<api::Node>()) == nullptr) {
        return;
    }
    const bool leaves = !change.after || has_ended(*pod) || pod->metadata.deletion_timestamp;
    const std::string* name = pod->metadata.find_annotation(api::annotation::kWorkload);
    if (!leaves || name == nullptr) {
        return;
    }
    const auto node = stores.of<api::Node>().find(pod->spec.node_name);
    const bool is_fine = node && workload::is_usable(*node) && node->spec.taints.empty();
    if (!is_fine || (change.after && is_rejected(*change.after))) {
        visit({kind_of<api::Workload>(), pod->metadata.namespace_, *name});
    }
}

/// Visits a job that is over or gone, or the Workload that it left, when a pod that holds its quota
/// has ended.
void visit_left_workload(
    const ChangeContext& context, const kube::Change<api::Pod>& change, const Visit& visit
) {
    if (!change.before || has_ended(*change.before) ||
        (change.after && !has_ended(*change.after))) {
        return;
    }
    const Stores& stores = context.stores;
    const api::ObjectMeta& pod = change.before->metadata;
    const auto visit_gone = [&](const std::optional<ObjectKey>& job) {
        const KindEntry* entry = job ? context.registry.find(job->kind) : nullptr;
        if (entry != nullptr && entry->reconcile && stores.find_metadata(*job) == nullptr) {
            visit(*job);
        }
    };
    // A Job or pod that still exists shows in its own status that its pods have ended.
    const auto visit_workload = [&](const api::Workload& workload) {
        const auto job = find_owner(context.registry, workload.metadata);
        if (!job) {
            visit(key_of(workload));
        } else if (job->kind == kind_of<api::Job>() || job->kind == kind_of<api::Pod>()) {
            visit_gone(job);
        } else if (context.registry.find(job->kind)->reconcile) {
            visit(*job);
        }
    };
    for (const std::string& slice : slices_of_pod(*change.before)) {
        if (const auto left = stores.of<api::Workload>().find(kube::parse_namespaced_name(slice))) {
            visit_workload(*left);
        }
    }
    for (const std::string& uid : job_uids_of(*change.before)) {
        for (const auto& [name, left] : lost_workloads(stores, uid)) {
            visit_workload(*left);
        }
    }
    visit_gone(find_owner(context.registry, pod));
    if (const std::string* job = pod.find_label("batch.kubernetes.io/job-name")) {
        visit_gone(ObjectKey{kind_of<api::Job>(), pod.namespace_, *job});
    }
}

/// Reconciles the key of a row. Pods that are not jobs have nothing of their own to reconcile.
Outcome reconcile_row(const ReconcileContext& context, const ObjectKey& key, Time now) {
    return row_in_name(key.name).empty()
               ? Outcome{}
               : reconcile_pod_row(context.view, context.job_kinds, key, now);
}

}  // namespace

KindEntry pod_kind_without_jobs() {
    KindEntry entry = make_entry<api::Pod>(Presence::Optional);
    entry.controller = kElasticJobController;
    entry.metric_name = "elasticjob_ungater";
    entry.make_store = []() -> std::unique_ptr<kube::AnyStore> {
        auto store = std::make_unique<kube::KindStore<api::Pod>>(kind_of<api::Pod>());
        store->objects().add_index(std::string(kSliceIndex), slices_of_pod);
        store->objects().add_index(std::string(kMadeByIndex), job_uids_of);
        return store;
    };
    entry.edges = {
        {.reconciled = Urgency::Gathered, .translated = false, .find = find_by<api::Pod>(visit_row)
        },
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::Pod>(visit_workload_on_node)},
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::Pod>(visit_left_workload)},
    };
    entry.translate = [](const EngineInput& input, const kube::NamespacedName& name) {
        const auto pod = input.stores.of<api::Pod>().find(name);
        input.apply_all(
            pod ? input.translator.set(*pod)
                : input.translator.remove_pod(name.namespace_, name.name)
        );
    };
    entry.reconcile = reconcile_row;
    entry.also_written = pods_of_row;
    return entry;
}

KindEntry pod_kind(bool by_annotation) {
    KindEntry entry = pod_kind_without_jobs();
    entry.presence = Presence::Required;
    entry.controller = "pod";
    entry.metric_name = "v1_pod";
    entry.make_store = [by_annotation]() -> std::unique_ptr<kube::AnyStore> {
        // Jobs are admitted with their whole spec. The spec of other pods is not kept.
        const auto keep_spec = [](api::Pod& pod, std::string_view json) {
            if (concerns_job(pod) || is_gated(pod)) {
                pod.raw_spec = api::RawJson(std::string(kube::find_raw(json, {"spec"})));
            }
        };
        auto store = std::make_unique<kube::KindStore<api::Pod>>(kind_of<api::Pod>(), keep_spec);
        store->objects().add_index(std::string(kSliceIndex), slices_of_pod);
        store->objects().add_index(std::string(kMadeByIndex), job_uids_of);
        store->objects().add_index(std::string(kPodGroupIndex), [by_annotation](const auto& pod) {
            return groups_of_pod(pod, by_annotation);
        });
        store->objects().add_index(std::string(kPodMakerIndex), makers_of_pod);
        add_job_indexes(store->objects());
        return store;
    };
    entry.edges.push_back(to_job_of_pod(by_annotation, Urgency::AtOnce));
    entry.edges.push_back(to_job_of_pod(by_annotation, Urgency::Gathered));
    entry.edges.push_back(to_maker_of_pod(Urgency::AtOnce));
    entry.edges.push_back(to_maker_of_pod(Urgency::Gathered));
    entry.job = make_pod_kind();
    entry.admission = entry.job->admission();
    entry.reconcile =
        [kind = entry.job.get()](const ReconcileContext& context, const ObjectKey& key, Time now) {
            const auto pod = context.view.stores.of<api::Pod>().find(key.ns, key.name);
            if (!row_in_name(key.name).empty() || (pod && !is_job(context.view.stores, *pod))) {
                return reconcile_row(context, key, now);
            }
            return reconcile_job(context.view, context.job_kinds, *kind, {key.ns, key.name}, now);
        };
    entry.reconciled_under = [by_annotation](const Stores& stores, const ObjectKey& key) {
        const auto pod = stores.of<api::Pod>().find(key.ns, key.name);
        if (!workloads_of_owner(stores, key).empty()) {
            return key;  // such a Workload is released even if the pod is in a group
        }
        return pod ? group_of(*pod, by_annotation).value_or(key) : key;
    };
    entry.also_written = objects_of_job;
    return entry;
}

}  // namespace sluice::controller
