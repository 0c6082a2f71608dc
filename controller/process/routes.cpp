#include "controller/process/routes.hpp"

#include "controller/reconcilers/cohort_tree.hpp"
#include "workload/slices.hpp"

#include <string>

namespace sluice::controller {

namespace {

void look_at_queues_of(const Stores& stores, const api::Workload& workload, const Look& look) {
    const std::string& ns = workload.metadata.namespace_;
    look({Kind::LocalQueue, ns, workload.spec.queue_name}, Urgency::Batched);
    if (workload.status.admission) {
        look({Kind::ClusterQueue, "", workload.status.admission->cluster_queue}, Urgency::Batched);
    }
    if (const auto queue = stores.local_queues.find(ns, workload.spec.queue_name)) {
        look({Kind::ClusterQueue, "", queue->spec.cluster_queue}, Urgency::Batched);
    }
}

void look_at_workloads_of(
    const Stores& stores, const std::string& ns, const std::string& queue, const Look& look
) {
    for (const auto& [key, workload] : stores.workloads_of_queue(ns, queue)) {
        look({Kind::Workload, key.namespace_, key.name}, Urgency::AtOnce);
    }
}

void look_at_references(const api::ClusterQueue& queue, const Look& look) {
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            look({Kind::ResourceFlavor, "", flavor.name}, Urgency::AtOnce);
        }
    }
    if (queue.spec.admission_checks_strategy) {
        for (const auto& check : queue.spec.admission_checks_strategy->admission_checks) {
            look({Kind::AdmissionCheck, "", check.name}, Urgency::AtOnce);
        }
    }
}

std::string active_status(const api::ClusterQueue& queue) {
    for (const api::Condition& condition : queue.status.conditions) {
        if (condition.type_ == "Active") {
            return condition.status;
        }
    }
    return "";
}

/// Whether workloads of the queue must hear of the change.
bool concerns_workloads(const kube::Change<api::ClusterQueue>& change) {
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

/// The class that a Job's Workload got just now, or nullptr: its value may have changed while that
/// was written.
const std::string* find_new_class(const kube::Change<api::Workload>& change) {
    if (!change.after || change.after->metadata.controller_owner() == nullptr) {
        return nullptr;
    }
    const auto& ref = change.after->spec.priority_class_ref;
    if (!ref || ref->group != "kueue.x-k8s.io" ||
        (change.before && change.before->spec.priority_class_ref == ref)) {
        return nullptr;
    }
    return &ref->name;
}

}  // namespace

void route(const Stores& stores, const kube::Change<api::ClusterQueue>& change, const Look& look) {
    const std::string& name = change.key.name;
    look({Kind::ClusterQueue, "", name}, Urgency::AtOnce);
    const bool to_workloads = concerns_workloads(change);
    const bool is_new_spec =
        change.is_added() || change.is_removed() || change.before->spec != change.after->spec;
    const bool to_queues =
        is_new_spec || change.before->status.conditions != change.after->status.conditions;
    for (const auto& [key, queue] : stores.local_queues_of(name)) {
        if (to_queues) {
            look({Kind::LocalQueue, key.namespace_, key.name}, Urgency::AtOnce);
        }
        if (to_workloads) {
            look_at_workloads_of(stores, key.namespace_, key.name, look);
        }
    }
    if (is_new_spec) {
        for (const auto& queue : {change.before, change.after}) {
            if (queue) {
                look_at_references(*queue, look);
            }
        }
    }
}

void route(const Stores& stores, const kube::Change<api::LocalQueue>& change, const Look& look) {
    look({Kind::LocalQueue, change.key.namespace_, change.key.name}, Urgency::AtOnce);
    const bool is_new_spec = change.is_added() || change.is_removed() ||
                             change.before->spec != change.after->spec ||
                             change.before->metadata.deletion_timestamp.has_value() !=
                                 change.after->metadata.deletion_timestamp.has_value();
    if (!is_new_spec) {
        return;
    }
    for (const auto& queue : {change.before, change.after}) {
        if (queue) {
            look({Kind::ClusterQueue, "", queue->spec.cluster_queue}, Urgency::Batched);
        }
    }
    look_at_workloads_of(stores, change.key.namespace_, change.key.name, look);
}

void route(
    const Stores& stores, const kube::Change<api::ResourceFlavor>& change, const Look& look
) {
    look({Kind::ResourceFlavor, "", change.key.name}, Urgency::AtOnce);
    for (const auto& [key, queue] : stores.cluster_queues_of_flavor(change.key.name)) {
        look({Kind::ClusterQueue, "", key.name}, Urgency::Batched);
    }
}

void route(const Stores& stores, const kube::Change<api::Cohort>& change, const Look& look) {
    look({Kind::Cohort, "", change.key.name}, Urgency::AtOnce);
    if (!concerns_cycle(stores, change)) {
        return;
    }
    const CohortTree tree = find_cohort_tree(stores, change.key.name);
    for (const std::string& cohort : tree.cohorts) {
        look({Kind::Cohort, "", cohort}, Urgency::AtOnce);
    }
    for (const std::string& queue : tree.cluster_queues) {
        look({Kind::ClusterQueue, "", queue}, Urgency::AtOnce);
    }
}

void route(
    const Stores& stores, const kube::Change<api::WorkloadPriorityClass>& change, const Look& look
) {
    const bool is_new_value =
        change.after && (change.is_added() || change.before->value != change.after->value);
    if (!is_new_value) {
        return;
    }
    look({Kind::WorkloadPriorityClass, "", change.key.name}, Urgency::AtOnce);
    for (const auto& [key, job] : stores.jobs_of_priority_class(change.key.name)) {
        look({Kind::Job, key.namespace_, key.name}, Urgency::AtOnce);
    }
}

void route(const Stores& stores, const kube::Change<api::Workload>& change, const Look& look) {
    look({Kind::Workload, change.key.namespace_, change.key.name}, Urgency::AtOnce);
    if (const std::string* name = find_new_class(change)) {
        look({Kind::WorkloadPriorityClass, "", *name}, Urgency::Batched);
    }
    for (const auto& workload : {change.before, change.after}) {
        if (!workload) {
            continue;
        }
        const api::OwnerReference* owner = workload->metadata.controller_owner();
        if (owner != nullptr && owner->kind == "Job") {
            look({Kind::Job, change.key.namespace_, owner->name}, Urgency::AtOnce);
        }
        look_at_queues_of(stores, *workload, look);
    }
    if (change.after) {
        const auto slice = kube::parse_object_key(workload::replaced_slice(*change.after));
        if (slice.namespace_ == change.key.namespace_) {
            look({Kind::Workload, slice.namespace_, slice.name}, Urgency::AtOnce);
        }
    }
}

void route(
    const Stores& stores, const kube::Change<api::AdmissionCheck>& change, const Look& look
) {
    look({Kind::AdmissionCheck, "", change.key.name}, Urgency::AtOnce);
    for (const auto& [key, queue] : stores.cluster_queues_of_check(change.key.name)) {
        look({Kind::ClusterQueue, "", key.name}, Urgency::Batched);
    }
}

void route(const Stores& stores, const kube::Change<api::Topology>& change, const Look& look) {
    for (const auto& [key, flavor] : stores.resource_flavors.all()) {
        if (flavor->spec.topology_name != change.key.name) {
            continue;
        }
        for (const auto& [queue_key, queue] : stores.cluster_queues_of_flavor(key.name)) {
            look({Kind::ClusterQueue, "", queue_key.name}, Urgency::Batched);
        }
    }
}

void route(const Stores&, const kube::Change<api::Job>& change, const Look& look) {
    look({Kind::Job, change.key.namespace_, change.key.name}, Urgency::AtOnce);
}

void route(const Stores& stores, const kube::Change<api::Namespace>& change, const Look& look) {
    const bool is_same = change.before && change.after &&
                         change.before->metadata.labels == change.after->metadata.labels;
    if (is_same) {
        return;
    }
    const std::string& ns = change.key.name;
    const auto& jobs = stores.jobs.all();
    for (auto at = jobs.lower_bound({ns, ""}); at != jobs.end() && at->first.namespace_ == ns;
         ++at) {
        look({Kind::Job, ns, at->first.name}, Urgency::AtOnce);
    }
    const auto& workloads = stores.workloads.all();
    for (auto at = workloads.lower_bound({ns, ""});
         at != workloads.end() && at->first.namespace_ == ns;
         ++at) {
        look({Kind::Workload, ns, at->first.name}, Urgency::AtOnce);
    }
}

void route(const Stores& stores, const kube::Change<api::LimitRange>& change, const Look& look) {
    const std::string& ns = change.key.namespace_;
    const auto& workloads = stores.workloads.all();
    for (auto at = workloads.lower_bound({ns, ""});
         at != workloads.end() && at->first.namespace_ == ns;
         ++at) {
        look({Kind::Workload, ns, at->first.name}, Urgency::AtOnce);
    }
}

void route(const Stores&, const kube::Change<api::RuntimeClass>&, const Look&) {
    // Only what a workload requests depends on it, which is the engine's business.
}

void route(const Stores&, const kube::Change<api::PriorityClass>&, const Look&) {
    // Read when a Workload is made; a Job that waits for a missing class tries again by itself.
}

void route_all(const Stores& stores, const Look& look) {
    const auto look_at_all = [&look](Kind kind, const auto& store) {
        for (const auto& [key, object] : store.all()) {
            look({kind, key.namespace_, key.name}, Urgency::AtOnce);
        }
    };
    look_at_all(Kind::ResourceFlavor, stores.resource_flavors);
    look_at_all(Kind::AdmissionCheck, stores.admission_checks);
    look_at_all(Kind::WorkloadPriorityClass, stores.workload_priority_classes);
    look_at_all(Kind::Cohort, stores.cohorts);
    look_at_all(Kind::ClusterQueue, stores.cluster_queues);
    look_at_all(Kind::LocalQueue, stores.local_queues);
    look_at_all(Kind::Job, stores.jobs);
    look_at_all(Kind::Workload, stores.workloads);
    // The Job may be gone while nobody acted; its Workload still names it.
    for (const auto& [key, workload] : stores.workloads.all()) {
        const api::OwnerReference* owner = workload->metadata.controller_owner();
        if (owner != nullptr && owner->kind == "Job") {
            look({Kind::Job, key.namespace_, owner->name}, Urgency::AtOnce);
        }
    }
}

}  // namespace sluice::controller
