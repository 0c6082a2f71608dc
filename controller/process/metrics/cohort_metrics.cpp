#include "controller/process/metrics/cohort_metrics.hpp"

#include "controller/process/metrics/metric_numbers.hpp"
#include "engine/state/fair_sharing.hpp"

#include <cstddef>
#include <iterator>
#include <set>

namespace sluice::controller {

namespace {

using engine::NodeIndex;
using engine::QuotaTree;

/// Returns true for a cohort that has an object or that is a parent.
bool is_present(const QuotaTree::Node& node) {
    return !node.is_cluster_queue && (node.has_object || !node.children.empty());
}

std::string name_of(const QuotaTree& tree, NodeIndex index) {
    return index.is_valid() ? tree.node(index).name : std::string();
}

}  // namespace

void CohortMetrics::count_admission(
    const std::string& cluster_queue, const std::string& priority_class
) {
    const QuotaTree& tree = state_.tree();
    const NodeIndex start = state_.find_cluster_queue(cluster_queue);
    if (!start.is_valid() || tree.node(start).in_cycle) {
        return;
    }
    for (NodeIndex at = tree.node(start).parent; at.is_valid(); at = tree.node(at).parent) {
        metrics_.cohort_subtree_admitted_workloads_total.add({tree.node(at).name, priority_class});
        show(tree.node(at).name);
    }
}

void CohortMetrics::report_all() {
    const QuotaTree& tree = state_.tree();
    std::set<std::string> cohorts;
    std::set<std::string> cluster_queues;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto index = engine::make_index<NodeIndex>(i);
        const QuotaTree::Node& node = tree.node(index);
        if (is_present(node)) {
            cohorts.insert(node.name);
            if (node.in_cycle) {
                cohorts_[node.name].clear();
            }
        }
        if (node.is_cluster_queue && node.has_object) {
            cluster_queues.insert(node.name);
            if (node.in_cycle) {
                report_place(node);
            }
        }
        if (!node.in_cycle && !node.parent.is_valid()) {
            report_tree(index);
        }
    }
    std::erase_if(hidden_, [&](const std::string& name) { return !cohorts.contains(name); });
    std::erase_if(cohorts_, [&](const auto& entry) {
        const bool is_gone = !cohorts.contains(entry.first);
        if (is_gone) {
            metrics_.remove_cohort(entry.first);
        }
        return is_gone;
    });
    for (auto at = places_.begin(); at != places_.end();) {
        const bool is_gone = !cluster_queues.contains(at->first);
        if (is_gone) {
            at->second.clear();
        }
        at = is_gone ? places_.erase(at) : std::next(at);
    }
}

void CohortMetrics::report_tree_of(const std::string& cluster_queue) {
    const NodeIndex node = state_.find_cluster_queue(cluster_queue);
    if (node.is_valid() && !state_.tree().node(node).in_cycle) {
        report_tree(state_.tree().node(node).root);
    }
}

std::vector<NodeIndex> CohortMetrics::nodes_of(NodeIndex root) const {
    std::vector<NodeIndex> nodes{root};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto& children = state_.tree().node(nodes[i]).children;
        nodes.insert(nodes.end(), children.begin(), children.end());
    }
    return nodes;
}

void CohortMetrics::report_tree(NodeIndex root) {
    const QuotaTree& tree = state_.tree();
    const std::vector<NodeIndex> nodes = nodes_of(root);
    std::map<NodeIndex, Sums> sums;
    // In reverse order, children come before their parents.
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
        const QuotaTree::Node& node = tree.node(*at);
        Sums own;
        if (node.is_cluster_queue && node.has_object) {
            report_place(node);
            own.admitted = tally_.of_cluster_queue(node.name).admitted;
            own.reserved = node.own_usage;
        } else if (!node.is_cluster_queue) {
            own = std::move(sums[*at]);
            if (is_present(node) && !hidden_.contains(node.name)) {
                report_cohort(*at, own);
            }
        }
        if (node.parent.is_valid()) {
            Sums& above = sums[node.parent];
            above.admitted += own.admitted;
            for (const engine::Usage& usage : own.reserved) {
                engine::add_to(above.reserved, usage.flavor_resource, usage.amount);
            }
        }
    }
}

void CohortMetrics::report_place(const QuotaTree::Node& cluster_queue) {
    const bool is_under_cohort = cluster_queue.parent.is_valid() && !cluster_queue.in_cycle;
    const QuotaTree& tree = state_.tree();
    const std::string parent = is_under_cohort ? name_of(tree, cluster_queue.parent) : "";
    const std::string root = is_under_cohort ? name_of(tree, cluster_queue.root) : "";
    metrics::GaugeGroup& group = places_[cluster_queue.name];
    group.begin();
    group.set(metrics_.cluster_queue_info, {cluster_queue.name, parent, root}, 1);
    group.end();
}

void CohortMetrics::report_cohort(NodeIndex index, const Sums& sums) {
    const QuotaTree& tree = state_.tree();
    const QuotaTree::Node& node = tree.node(index);
    const std::string& name = node.name;
    metrics::GaugeGroup& group = cohorts_[name];
    group.begin();
    group.set(
        metrics_.cohort_info, {name, name_of(tree, node.parent), name_of(tree, node.root)}, 1
    );
    group.set(
        metrics_.cohort_subtree_admitted_active_workloads,
        {name},
        static_cast<double>(sums.admitted)
    );
    const auto set =
        [&](metrics::Gauge& gauge, engine::FlavorResourceIndex pair, engine::Amount amount) {
            if (amount > engine::Amount()) {
                const std::string& resource = state_.resource_name(state_.resource_of(pair));
                const std::string& flavor = state_.flavor_name(state_.flavor_of(pair));
                group.set(gauge, {name, flavor, resource}, to_number(resource, amount));
            }
        };
    for (const engine::QuotaCell& cell : node.cells) {
        set(metrics_.cohort_subtree_quota, cell.flavor_resource, cell.subtree);
    }
    for (const engine::Usage& usage : sums.reserved) {
        set(metrics_.cohort_subtree_resource_reservations, usage.flavor_resource, usage.amount);
    }
    if (state_.options().fair_sharing && node.has_object) {
        group.set(
            metrics_.cohort_weighted_share, {name}, engine::share_of(state_, index).weighted()
        );
    }
    group.end();
}

void CohortMetrics::forget() {
    for (auto* groups : {&cohorts_, &places_}) {
        for (auto& [name, group] : *groups) {
            group.forget();
        }
    }
}

void CohortMetrics::remove(const std::string& cohort) {
    cohorts_.erase(cohort);
    metrics_.remove_cohort(cohort);
    hidden_.insert(cohort);
}

void CohortMetrics::relabel(const std::string& cohort) {
    if (const auto found = cohorts_.find(cohort); found != cohorts_.end()) {
        found->second.forget();
    }
    metrics_.remove_gauges_of_cohort(cohort);
}

void CohortMetrics::forget_cluster_queue(const std::string& name) {
    if (const auto found = places_.find(name); found != places_.end()) {
        found->second.forget();
    }
}

}  // namespace sluice::controller
