#include "controller/reconcilers/workload.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/pod/pod_kind.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/pod_rows.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "controller/reconcilers/described_owner.hpp"
#include "workload/translation/slices.hpp"

namespace sluice::controller {

namespace {

using WorkloadChange = kube::Change<api::Workload>;

/// Visits the class that a Workload was just given: its value may have changed during that write.
void visit_new_class(const ChangeContext&, const WorkloadChange& change, const Visit& visit) {
    if (!change.after || !has_job(change.after->metadata)) {
        return;
    }
    const auto& ref = change.after->spec.priority_class_ref;
    if (!ref || ref->group != api::kKueueGroup ||
        (change.before && change.before->spec.priority_class_ref == ref)) {
        return;
    }
    visit({kind_of<api::WorkloadPriorityClass>(), "", ref->name});
}

void visit_owner(const ChangeContext& context, const WorkloadChange& change, const Visit& visit) {
    for (const auto& workload : {change.before, change.after}) {
        if (!workload) {
            continue;
        }
        if (const auto owner = find_owner(context.registry, workload->metadata)) {
            visit(*owner);
        }
    }
}

/// Visits the owners of a pod group's Workload that are not its controller: the objects that made
/// the group.
void visit_member_owners(
    const ChangeContext& context, const WorkloadChange& change, const Visit& visit
) {
    for (const auto& workload : {change.before, change.after}) {
        if (!workload || !is_of_pod_group(workload->metadata)) {
            continue;
        }
        for (const api::OwnerReference& owner : workload->metadata.owner_references) {
            const KindEntry* entry =
                context.registry.find(kube::group_of(owner.api_version), owner.kind);
            if (entry != nullptr && entry->ancestor_role && entry->reconcile) {
                visit({entry->kind, workload->metadata.namespace_, owner.name});
            }
        }
    }
}

/// Visits the pod group that the Workload blocks, or blocked, because it has the group's name.
void visit_blocked_group(
    const ChangeContext& context, const WorkloadChange& change, const Visit& visit
) {
    const KindEntry* pods = context.registry.find(kind_of<api::Pod>());
    const bool is_group = change.after && is_of_pod_group(change.after->metadata);
    if (pods == nullptr || !pods->job || is_group) {
        return;  // its own group is visited as its owner
    }
    const auto& members =
        context.stores.of<api::Pod>().by_index(kPodGroupIndex, kube::to_string(change.key));
    if (!members.empty()) {
        visit(pod_group_key(change.key.namespace_, change.key.name));
    }
}

void visit_queues(const ChangeContext& context, const WorkloadChange& change, const Visit& visit) {
    for (const auto& workload : {change.before, change.after}) {
        if (!workload) {
            continue;
        }
        const std::string& ns = workload->metadata.namespace_;
        const std::string& name = workload->spec.queue_name;
        visit({kind_of<api::LocalQueue>(), ns, name});
        if (const auto& admission = workload->status.admission) {
            visit({kind_of<api::ClusterQueue>(), "", admission->cluster_queue});
        }
        if (const auto queue = context.stores.of<api::LocalQueue>().find(ns, name)) {
            visit({kind_of<api::ClusterQueue>(), "", queue->spec.cluster_queue});
        }
    }
}

void visit_replaced_slice(const ChangeContext&, const WorkloadChange& change, const Visit& visit) {
    if (!change.after) {
        return;
    }
    const auto slice = kube::parse_namespaced_name(workload::replaced_slice(*change.after));
    if (slice.namespace_ == change.key.namespace_) {
        visit({kind_of<api::Workload>(), slice.namespace_, slice.name});
    }
}

/// Visits the jobs for which the Workload was prebuilt: on every change until one of them has taken
/// it, and when it loses its owner.
void visit_prebuilt_jobs(
    const ChangeContext& context, const WorkloadChange& change, const Visit& visit
) {
    if (!change.after || change.after->metadata.controller_owner() != nullptr) {
        return;
    }
    for (const Kind kind : context.registry.job_kinds().all()) {
        const kube::AnyStore* store = context.stores.find(kind);
        if (store == nullptr) {
            continue;
        }
        for (const auto& name :
             store->names_by_index(kPrebuiltWorkloadIndex, kube::to_string(change.key))) {
            visit({kind, name.namespace_, name.name});
        }
    }
}

/// Visits the Workload's pods, which are ungated when it is admitted.
void visit_gated_pods(
    const ChangeContext& context, const WorkloadChange& change, const Visit& visit
) {
    if (change.after && has_gated_pods(*change.after, true)) {
        visit_pod_row(context.stores, *change.after, visit);
    }
}

/// Sends the Workload to the engine. A waiting Workload that cannot be read is not queued, because
/// its present requests are unknown. A Workload whose job nobody would start is not queued either.
void translate(const EngineInput& input, const kube::NamespacedName& name) {
    auto workload = input.stores.of<api::Workload>().find(name);
    const bool is_unreadable =
        input.stores.find(kind_of<api::Workload>())->unreadable().contains(name);
    const bool must_wait =
        is_unreadable ||
        (workload &&
         lacks_description(
             *workload, input.stores, &input.job_kinds.all(), &input.job_kinds.withdrawn()
         ));
    if (workload && must_wait && !has_quota_reserved(*workload)) {
        const engine::WorkloadIndex known = input.state.find_workload(kube::to_string(name));
        if (known.is_valid() && input.state.workload(known).holding != nullptr) {
            return;  // its admission is being written; the result of the write is reported later
        }
        workload = nullptr;
    }
    input.apply_all(
        workload ? input.translator.set(*workload)
                 : input.translator.remove_workload(name.namespace_, name.name)
    );
}

}  // namespace

KindEntry workload_kind() {
    KindEntry entry = make_entry<api::Workload>(Presence::Required);
    entry.controller = "workload";
    entry.metric_name = "workload_controller";
    entry.edges = {
        to_itself(),
        {.reconciled = Urgency::Gathered,
         .translated = false,
         .find = find_by<api::Workload>(visit_new_class)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_owner)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_member_owners)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_blocked_group)},
        {.reconciled = Urgency::Batched,
         .translated = false,
         .find = find_by<api::Workload>(visit_queues)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_replaced_slice)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_prebuilt_jobs)},
        {.reconciled = Urgency::AtOnce,
         .translated = false,
         .find = find_by<api::Workload>(visit_gated_pods)},
    };
    entry.translate = translate;
    entry.reconcile = [](const ReconcileContext& context, const ObjectKey& key, Time now) {
        return reconcile_workload(context.view, key.ns, key.name, now);
    };
    return entry;
}

void visit_workloads_of_queue(
    const Stores& stores, const kube::NamespacedName& queue, const Visit& visit
) {
    for (const auto& [name, workload] : workloads_of_queue(stores, queue.namespace_, queue.name)) {
        visit({kind_of<api::Workload>(), name.namespace_, name.name});
    }
}

}  // namespace sluice::controller
