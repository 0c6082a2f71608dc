#include "controller/reconcile/stores.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/assigned_nodes.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "workload/translation/slices.hpp"

#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

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

}  // namespace

void add_indexes(kube::Store<api::Workload>& workloads) {
    add_owner_indexes(workloads);
    workloads.add_index("queue", [](const api::Workload& w) {
        return std::vector{join(w.metadata.namespace_, w.spec.queue_name)};
    });
    workloads.add_index("cluster_queue", [](const api::Workload& w) {
        return w.status.admission ? std::vector{w.status.admission->cluster_queue}
                                  : std::vector<std::string>{};
    });
    workloads.add_index("priority_class", [](const api::Workload& w) {
        const auto& ref = w.spec.priority_class_ref;
        return ref && ref->group == api::kKueueGroup ? std::vector{ref->name}
                                                     : std::vector<std::string>{};
    });
    workloads.add_index(std::string(kAssignedHostIndex), indexed_hosts_of);
    workloads.add_index("replaced_slice", [](const api::Workload& w) {
        std::string slice = workload::replaced_slice(w);
        return slice.empty() ? std::vector<std::string>{} : std::vector{std::move(slice)};
    });
}

void add_indexes(kube::Store<api::LocalQueue>& queues) {
    queues.add_index("cluster_queue", [](const api::LocalQueue& q) {
        return std::vector{q.spec.cluster_queue};
    });
}

void add_indexes(kube::Store<api::ClusterQueue>& queues) {
    queues.add_index("flavor", flavors_of);
    queues.add_index("check", checks_of);
}

std::vector<std::string> priority_class_of(const api::ObjectMeta& job) {
    const std::string_view name = find_value(job.labels, api::label::kPriorityClass);
    return name.empty() ? std::vector<std::string>{} : std::vector{std::string(name)};
}

std::vector<std::string> prebuilt_workloads_of(const api::ObjectMeta& job) {
    std::vector<std::string> names;
    for (const std::string_view name :
         {find_value(job.annotations, api::annotation::kPrebuiltWorkload),
          find_value(job.labels, api::label::kPrebuiltWorkload)}) {
        if (!name.empty() && (names.empty() || !names.front().ends_with("/" + std::string(name)))) {
            names.push_back(job.namespace_ + "/" + std::string(name));
        }
    }
    return names;
}

std::vector<std::string> controller_uid_of(const api::ObjectMeta& job) {
    const api::OwnerReference* owner = job.controller_owner();
    return owner == nullptr ? std::vector<std::string>{} : std::vector{owner->uid};
}

const kube::Store<api::Workload>::Objects& workloads_of_queue(
    const Stores& stores, std::string_view ns, std::string_view queue
) {
    return stores.of<api::Workload>().by_index("queue", join(ns, queue));
}

const kube::Store<api::Workload>::Objects& workloads_admitted_by(
    const Stores& stores, const std::string& cluster_queue
) {
    return stores.of<api::Workload>().by_index("cluster_queue", cluster_queue);
}

const kube::Store<api::Workload>::Objects& workloads_of_priority_class(
    const Stores& stores, const std::string& name
) {
    return stores.of<api::Workload>().by_index("priority_class", name);
}

const kube::Store<api::Workload>::Objects& workloads_replacing(
    const Stores& stores, std::string_view ns, std::string_view slice
) {
    return stores.of<api::Workload>().by_index("replaced_slice", join(ns, slice));
}

const kube::Store<api::LocalQueue>::Objects& local_queues_of(
    const Stores& stores, const std::string& cluster_queue
) {
    return stores.of<api::LocalQueue>().by_index("cluster_queue", cluster_queue);
}

const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_flavor(
    const Stores& stores, const std::string& flavor
) {
    return stores.of<api::ClusterQueue>().by_index("flavor", flavor);
}

const kube::Store<api::ClusterQueue>::Objects& cluster_queues_of_check(
    const Stores& stores, const std::string& check
) {
    return stores.of<api::ClusterQueue>().by_index("check", check);
}

std::string_view find_value(const std::map<std::string, std::string>& map, std::string_view key) {
    const auto found = map.find(std::string(key));
    return found == map.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace sluice::controller
