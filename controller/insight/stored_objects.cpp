#include "controller/insight/stored_objects.hpp"

#include <string>

namespace sluice::controller {

std::shared_ptr<const api::Workload> StoredObjects::find_workload(
    std::string_view ns, std::string_view name
) const {
    return stores_.of<api::Workload>().find(ns, name);
}

std::vector<std::shared_ptr<const api::Workload>> StoredObjects::list_workloads(
    std::string_view ns, std::string_view after, std::size_t limit
) const {
    const auto& all = stores_.of<api::Workload>().all();
    const auto from = kube::parse_namespaced_name(after);
    auto at = all.upper_bound(from);
    if (!ns.empty() && from.namespace_ < ns) {
        at = all.lower_bound({std::string(ns), ""});
    }
    std::vector<std::shared_ptr<const api::Workload>> made;
    for (; at != all.end() && made.size() < limit; ++at) {
        if (!ns.empty() && at->first.namespace_ != ns) {
            break;
        }
        made.push_back(at->second);
    }
    return made;
}

std::shared_ptr<const api::LocalQueue> StoredObjects::find_local_queue(
    std::string_view ns, std::string_view name
) const {
    return stores_.of<api::LocalQueue>().find(ns, name);
}

std::shared_ptr<const api::ClusterQueue> StoredObjects::find_cluster_queue(std::string_view name
) const {
    return stores_.of<api::ClusterQueue>().find(name);
}

std::shared_ptr<const api::Cohort> StoredObjects::find_cohort(std::string_view name) const {
    return stores_.of<api::Cohort>().find(name);
}

std::vector<std::shared_ptr<const api::LocalQueue>> StoredObjects::local_queues_of(
    std::string_view ns
) const {
    std::vector<std::shared_ptr<const api::LocalQueue>> made;
    const auto& all = stores_.of<api::LocalQueue>().all();
    const std::string of(ns);
    for (auto at = all.lower_bound({of, ""}); at != all.end() && at->first.namespace_ == of; ++at) {
        made.push_back(at->second);
    }
    return made;
}

std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> StoredObjects::priority_classes(
) const {
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> made;
    for (const auto& [key, priority] : stores_.of<api::WorkloadPriorityClass>().all()) {
        made.push_back(priority);
    }
    return made;
}

}  // namespace sluice::controller
