#include "controller/process/cohort_metrics.hpp"

#include "controller/process/metric_numbers.hpp"
#include "engine/fair_sharing.hpp"

namespace sluice::controller {

namespace {

using engine::NodeIndex;
using engine::QuotaTree;

/// A cohort is there while an object describes it or something names it as its parent.
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
    }
}

void CohortMetrics::report(const std::map<std::string, std::int32_t>& admitted) {
    clear();
    const QuotaTree& tree = state_.tree();
    std::map<NodeIndex, Sums> sums;
    std::set<std::string> present;
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto index = engine::make_index<NodeIndex>(i);
        const QuotaTree::Node& node = tree.node(index);
        if (is_present(node)) {
            present.insert(node.name);
        }
        if (!node.is_cluster_queue || !node.has_object) {
            continue;
        }
        report_place(node);
        const auto found = admitted.find(node.name);
        for (NodeIndex at = node.in_cycle ? NodeIndex() : node.parent; at.is_valid();
             at = tree.node(at).parent) {
            Sums& above = sums[at];
            above.admitted += found == admitted.end() ? 0 : found->second;
            for (const engine::Usage& usage : node.own_usage) {
                engine::add_to(above.reserved, usage.flavor_resource, usage.amount);
            }
        }
    }
    for (std::size_t i = 0; i < tree.size(); ++i) {
        const auto index = engine::make_index<NodeIndex>(i);
        if (is_present(tree.node(index)) && !tree.node(index).in_cycle) {
            report_cohort(index, sums[index]);
        }
    }
    for (const std::string& name : cohorts_) {
        if (!present.contains(name)) {
            metrics_.remove_cohort(name);
        }
    }
    cohorts_ = std::move(present);
}

void CohortMetrics::clear() {
    for (metrics::Gauge* gauge :
         {&metrics_.cluster_queue_info,
          &metrics_.cohort_info,
          &metrics_.cohort_subtree_quota,
          &metrics_.cohort_subtree_resource_reservations,
          &metrics_.cohort_subtree_admitted_active_workloads,
          &metrics_.cohort_weighted_share}) {
        gauge->clear();
    }
}

void CohortMetrics::report_place(const QuotaTree::Node& cluster_queue) {
    const bool is_under_cohort = cluster_queue.parent.is_valid() && !cluster_queue.in_cycle;
    const QuotaTree& tree = state_.tree();
    const std::string parent = is_under_cohort ? name_of(tree, cluster_queue.parent) : "";
    const std::string root = is_under_cohort ? name_of(tree, cluster_queue.root) : "";
    metrics_.cluster_queue_info.set({cluster_queue.name, parent, root}, 1);
}

void CohortMetrics::report_cohort(NodeIndex index, const Sums& sums) {
    const QuotaTree& tree = state_.tree();
    const QuotaTree::Node& node = tree.node(index);
    const std::string& name = node.name;
    metrics_.cohort_info.set({name, name_of(tree, node.parent), name_of(tree, node.root)}, 1);
    metrics_.cohort_subtree_admitted_active_workloads.set({name}, sums.admitted);
    const auto set =
        [&](metrics::Gauge& gauge, engine::FlavorResourceIndex pair, engine::Amount amount) {
            if (amount > engine::Amount()) {
                const std::string& resource = state_.resource_name(state_.resource_of(pair));
                const std::string& flavor = state_.flavor_name(state_.flavor_of(pair));
                gauge.set({name, flavor, resource}, to_number(resource, amount));
            }
        };
    for (const engine::QuotaCell& cell : node.cells) {
        set(metrics_.cohort_subtree_quota, cell.flavor_resource, cell.subtree);
    }
    for (const engine::Usage& usage : sums.reserved) {
        set(metrics_.cohort_subtree_resource_reservations, usage.flavor_resource, usage.amount);
    }
    if (state_.options().fair_sharing && node.has_object) {
        metrics_.cohort_weighted_share.set({name}, engine::share_of(state_, index).weighted());
    }
}

}  // namespace sluice::controller
