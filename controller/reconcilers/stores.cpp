#include "controller/reconcilers/stores.hpp"

#include "workload/slices.hpp"

#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

constexpr std::string_view kPriorityClassLabel = "kueue.x-k8s.io/priority-class";

template <class T>
const api::ObjectMeta* metadata_in(const kube::Store<T>& store, const ObjectKey& key) {
    const auto found = store.find(key.ns, key.name);
    return found ? &found->metadata : nullptr;  // the store keeps the object alive
}

std::string join(std::string_view ns, std::string_view name) {
    return std::string(ns) + "/" + std::string(name);
}

std::vector<std::string> flavors_of(const api::ClusterQueue& queue) {
    std::vector<std::string> names;
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            names.push_back(flavor.name);
        }
    }
    return names;
}

std::vector<std::string> checks_of(const api::ClusterQueue& queue) {
    std::vector<std::string> names;
    if (queue.spec.admission_checks_strategy) {
        for (const auto& check : queue.spec.admission_checks_strategy->admission_checks) {
            names.push_back(check.name);
        }
    }
    return names;
}

std::vector<std::string> job_of(const api::Workload& workload) {
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    if (owner == nullptr || owner->kind != "Job" || !owner->api_version.starts_with("batch/")) {
        return {};
    }
    return {join(workload.metadata.namespace_, owner->name)};
}

}  // namespace

Stores::Stores() {
    workloads.add_index("job", job_of);
    workloads.add_index("queue", [](const api::Workload& w) {
        return std::vector{join(w.metadata.namespace_, w.spec.queue_name)};
    });
    workloads.add_index("cluster_queue", [](const api::Workload& w) {
        return w.status.admission ? std::vector{w.status.admission->cluster_queue}
                                  : std::vector<std::string>{};
    });
    workloads.add_index("priority_class", [](const api::Workload& w) {
        const auto& ref = w.spec.priority_class_ref;
        return ref && ref->group == "kueue.x-k8s.io" ? std::vector{ref->name}
                                                     : std::vector<std::string>{};
    });
    workloads.add_index("replaced_slice", [](const api::Workload& w) {
        std::string slice = workload::replaced_slice(w);
        return slice.empty() ? std::vector<std::string>{} : std::vector{std::move(slice)};
    });
    local_queues.add_index("cluster_queue", [](const api::LocalQueue& q) {
        return std::vector{q.spec.cluster_queue};
    });
    cluster_queues.add_index("flavor", flavors_of);
    cluster_queues.add_index("check", checks_of);
    jobs.add_index("priority_class", [](const api::Job& job) {
        const std::string_view name = find_value(job.metadata.labels, kPriorityClassLabel);
        return name.empty() ? std::vector<std::string>{} : std::vector{std::string(name)};
    });
}

const api::ObjectMeta* Stores::find_metadata(const ObjectKey& key) const {
    switch (key.kind) {
        case Kind::ClusterQueue:
            return metadata_in(cluster_queues, key);
        case Kind::LocalQueue:
            return metadata_in(local_queues, key);
        case Kind::ResourceFlavor:
            return metadata_in(resource_flavors, key);
        case Kind::Cohort:
            return metadata_in(cohorts, key);
        case Kind::WorkloadPriorityClass:
            return metadata_in(workload_priority_classes, key);
        case Kind::Workload:
            return metadata_in(workloads, key);
        case Kind::AdmissionCheck:
            return metadata_in(admission_checks, key);
        case Kind::Topology:
            return metadata_in(topologies, key);
        case Kind::Job:
            return metadata_in(jobs, key);
        case Kind::Namespace:
            return metadata_in(namespaces, key);
        case Kind::LimitRange:
            return metadata_in(limit_ranges, key);
        case Kind::RuntimeClass:
            return metadata_in(runtime_classes, key);
        case Kind::PriorityClass:
            return metadata_in(priority_classes, key);
    }
    return nullptr;
}

const kube::Store<api::Workload>::Objects& Stores::workloads_of_job(
    std::string_view ns, std::string_view job
) const {
    return workloads.by_index("job", join(ns, job));
}

const kube::Store<api::Workload>::Objects& Stores::workloads_of_queue(
    std::string_view ns, std::string_view queue
) const {
    return workloads.by_index("queue", join(ns, queue));
}

const kube::Store<api::Workload>::Objects& Stores::workloads_admitted_by(
    const std::string& cluster_queue
) const {
    return workloads.by_index("cluster_queue", cluster_queue);
}

const kube::Store<api::Workload>::Objects& Stores::workloads_of_priority_class(
    const std::string& name
) const {
    return workloads.by_index("priority_class", name);
}

const kube::Store<api::Workload>::Objects& Stores::workloads_replacing(
    std::string_view ns, std::string_view slice
) const {
    return workloads.by_index("replaced_slice", join(ns, slice));
}

const kube::Store<api::LocalQueue>::Objects& Stores::local_queues_of(
    const std::string& cluster_queue
) const {
    return local_queues.by_index("cluster_queue", cluster_queue);
}

const kube::Store<api::ClusterQueue>::Objects& Stores::cluster_queues_of_flavor(
    const std::string& flavor
) const {
    return cluster_queues.by_index("flavor", flavor);
}

const kube::Store<api::ClusterQueue>::Objects& Stores::cluster_queues_of_check(
    const std::string& check
) const {
    return cluster_queues.by_index("check", check);
}

const kube::Store<api::Job>::Objects& Stores::jobs_of_priority_class(const std::string& name
) const {
    return jobs.by_index("priority_class", name);
}

std::string_view find_value(const std::map<std::string, std::string>& map, std::string_view key) {
    const auto found = map.find(std::string(key));
    return found == map.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace sluice::controller
