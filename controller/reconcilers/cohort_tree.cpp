#include "controller/reconcilers/cohort_tree.hpp"

#include <map>
#include <string_view>

namespace sluice::controller {

CohortTree find_cohort_tree(const Stores& stores, const std::string& cohort) {
    std::multimap<std::string_view, std::string_view> children;
    for (const auto& [key, object] : stores.of<api::Cohort>().all()) {
        children.emplace(object->spec.parent_name, key.name);
    }
    CohortTree tree;
    tree.cohorts.insert(cohort);
    std::vector<std::string_view> open{cohort};
    while (!open.empty()) {
        const auto [first, last] = children.equal_range(open.back());
        open.pop_back();
        for (auto at = first; at != last; ++at) {
            if (tree.cohorts.insert(std::string(at->second)).second) {
                open.push_back(at->second);
            }
        }
    }
    for (const auto& [key, queue] : stores.of<api::ClusterQueue>().all()) {
        if (tree.cohorts.contains(queue->spec.cohort_name)) {
            tree.cluster_queues.push_back(key.name);
        }
    }
    return tree;
}

bool concerns_cycle(const Stores& stores, const kube::Change<api::Cohort>& change) {
    if (change.before && change.after &&
        change.before->spec.parent_name == change.after->spec.parent_name) {
        return false;
    }
    for (const auto& version : {change.before, change.after}) {
        std::set<std::string_view> seen{change.key.name};
        std::string_view at = version ? std::string_view(version->spec.parent_name) : "";
        while (!at.empty()) {
            if (!seen.insert(at).second) {
                return true;
            }
            const auto parent = stores.of<api::Cohort>().find(at);
            at = parent ? std::string_view(parent->spec.parent_name) : "";
        }
    }
    return false;
}

}  // namespace sluice::controller
