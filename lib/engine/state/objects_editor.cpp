#include "engine/state/objects_editor.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice::engine {
namespace {

using GroupNames = std::pair<std::set<std::string>, std::vector<std::string>>;

/// Returns for each resource group its covered resources, as a set because their order does not
/// matter, and its flavors in order.
std::vector<GroupNames> flavors_in_order(const ClusterQueue& queue) {
    std::vector<GroupNames> made;
    for (const auto& group : queue.resource_groups) {
        GroupNames& names = made.emplace_back();
        names.first = {group.covered_resources.begin(), group.covered_resources.end()};
        for (const auto& flavor : group.flavors) {
            names.second.push_back(flavor.flavor);
        }
    }
    return made;
}

}  // namespace

void ObjectsEditor::on(const FlavorChanged& event) {
    const auto flavor = names_.intern_flavor(event.flavor.name);
    const bool has_topology = !event.flavor.topology.empty();
    const auto enforcing = *data_.enforcing_flavors;
    topologies_.set_flavor(flavor, event.flavor);
    const bool same_capacity = enforcing == *data_.enforcing_flavors;
    if (!same_capacity) {
        holders_.count_nodes_again();
    }
    if (same_capacity && (*data_.flavor_exists)[flavor.at()] &&
        (*data_.flavor_topology)[flavor.at()] == has_topology) {
        return;
    }
    data_.flavor_exists.write()[flavor.at()] = true;
    data_.flavor_topology.write()[flavor.at()] = has_topology;
    wakes_.refresh();
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        if (state_.cluster_queue(index).uses_flavor(flavor)) {
            wakes_.update_active(index);
            wakes_.wake_tree_of(index);
        }
    }
}

void ObjectsEditor::on(const FlavorDeleted& event) {
    const auto flavor = data_.flavors.find(event.name);
    if (!flavor.is_valid() || !(*data_.flavor_exists)[flavor.at()]) {
        return;
    }
    data_.flavor_exists.write()[flavor.at()] = false;
    data_.flavor_topology.write()[flavor.at()] = false;
    const bool enforced = data_.enforcing_flavors->contains(flavor);
    topologies_.set_flavor(flavor, {});
    if (enforced) {
        holders_.count_nodes_again();
    }
    wakes_.refresh();
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        if (state_.cluster_queue(index).uses_flavor(flavor)) {
            wakes_.update_active(index);
        }
    }
}

std::vector<DeclaredQuota> ObjectsEditor::declared_quotas(const std::vector<ResourceGroup>& groups
) {
    std::vector<DeclaredQuota> quotas;
    for (const auto& group : groups) {
        for (const auto& flavor : group.flavors) {
            SLUICE_ASSERT(flavor.quotas.size() == group.covered_resources.size());
            for (std::size_t i = 0; i < flavor.quotas.size(); ++i) {
                quotas.push_back(DeclaredQuota{
                    .flavor_resource =
                        names_.intern_pair(flavor.flavor, group.covered_resources[i]),
                    .nominal = flavor.quotas[i].nominal,
                    .borrowing_limit = flavor.quotas[i].borrowing_limit,
                    .lending_limit = flavor.quotas[i].lending_limit,
                });
            }
        }
    }
    return quotas;
}

NodeIndex ObjectsEditor::declared_parent(NodeIndex node) const {
    const std::string& name = data_.tree.node(node).parent_name;
    return name.empty() ? NodeIndex{} : data_.tree.find_cohort(name);
}

void ObjectsEditor::on(const CohortChanged& event) {
    const auto& cohort = event.cohort;
    const auto index = names_.intern_cohort(cohort.name);
    if (!cohort.parent.empty()) {
        names_.intern_cohort(cohort.parent);
    }
    const NodeIndex left = declared_parent(index);
    const auto known = data_.cohorts->find(index);
    if (known != data_.cohorts->end() && known->second == cohort) {
        return;
    }
    data_.cohorts.write().insert_or_assign(index, cohort);
    auto quotas = declared_quotas(cohort.resource_groups);
    data_.tree.set_object(index, cohort.parent, cohort.fair_weight, std::move(quotas));
    wakes_.refresh();
    data_.tree.touch(data_.tree.node(index).root);  // for a change of any field
    wakes_.wake_trees_of(index, left);
    check_use_of(left);
}

void ObjectsEditor::on(const CohortDeleted& event) {
    const auto index = data_.tree.find_cohort(event.name);
    if (!index.is_valid() || !data_.tree.node(index).has_object) {
        return;
    }
    const NodeIndex left = declared_parent(index);
    data_.cohorts.write().erase(index);
    data_.tree.remove_object(index);
    // Kueue wakes no workload here, which strands workloads that only the cohort's limits blocked.
    wakes_.wake_trees_of(index, left);
    check_use_of(index);
    check_use_of(left);
}

void ObjectsEditor::resolve_groups(
    ClusterQueueRecord& of, const std::vector<ResourceGroup>& groups
) {
    const std::vector<ResolvedGroup> before = std::exchange(of.groups, {});
    for (const auto& group : groups) {
        ResolvedGroup& resolved = of.groups.emplace_back();
        for (const auto& resource : group.covered_resources) {
            resolved.resources.push_back(names_.use_resource(resource));
        }
        for (const auto& flavor : group.flavors) {
            resolved.flavors.push_back(names_.intern_flavor(flavor.flavor));
        }
    }
    for (const auto& group : before) {
        for (const auto resource : group.resources) {
            names_.release_resource(resource);
        }
    }
}

void ObjectsEditor::on(const ClusterQueueChanged& event) {
    const auto& spec = event.cluster_queue;
    const auto index = names_.intern_cluster_queue(spec.name);
    if (!spec.cohort.empty()) {
        names_.intern_cohort(spec.cohort);
    }
    ClusterQueueRecord& record = queue(index);
    const bool is_new = !record.exists;
    const NodeIndex left = declared_parent(index);
    if (!is_new && record.spec == spec) {
        return;
    }
    const bool reordered = !is_new && flavors_in_order(record.spec) != flavors_in_order(spec);
    const bool quota_changed =
        is_new || reordered || record.spec.resource_groups != spec.resource_groups ||
        record.spec.cohort != spec.cohort || record.spec.fair_weight != spec.fair_weight;
    record.exists = true;
    if (is_new) {
        holders_.begin_cluster_queue(index);
    }
    record.spec = spec;
    resolve_groups(record, spec.resource_groups);
    if (quota_changed) {
        data_.tree.set_object(
            index, spec.cohort, spec.fair_weight, declared_quotas(spec.resource_groups)
        );
    }
    queues_.reorder(index);  // admission fair sharing may have been turned on or off
    wakes_.refresh();
    if (reordered) {
        data_.tree.touch(data_.tree.node(index).root);  // positions of tried flavors changed
    }
    wakes_.update_active(index);
    if (is_new) {
        for (const auto local_queue : std::vector(record.local_queues)) {
            queues_.open(local_queue);
        }
    }
    wakes_.wake_trees_of(index, left);
    check_use_of(left);
}

void ObjectsEditor::on(const ClusterQueueDeleted& event) {
    const auto index = data_.tree.find_cluster_queue(event.name);
    if (!index.is_valid() || !queue(index).exists) {
        return;
    }
    ClusterQueueRecord& record = queue(index);
    for (const auto local_queue : std::vector(record.local_queues)) {
        queues_.close(local_queue);
    }
    record.exists = false;
    record.active = false;
    holders_.end_cluster_queue(index);
    record.spec = ClusterQueue{};
    resolve_groups(record, {});
    queues_.drop_preemptors(index);
    record.parked_classes.clear();
    const NodeIndex left = declared_parent(index);
    data_.tree.remove_object(index);
    wakes_.wake_trees_of(index, left);
    check_use_of(index);
    check_use_of(left);
}

void ObjectsEditor::move_to_cluster_queue(LocalQueueIndex index, NodeIndex cluster_queue) {
    queues_.close(index);
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    if (record.cluster_queue.is_valid()) {
        std::erase(queue(record.cluster_queue).local_queues, index);
        check_use_of(record.cluster_queue);
    }
    record.cluster_queue = cluster_queue;
    if (cluster_queue.is_valid()) {
        queue(cluster_queue).local_queues.push_back(index);
    }
    ledgers_.recount(index);
}

void ObjectsEditor::on(const LocalQueueChanged& event) {
    const auto& given = event.local_queue;
    const auto index = names_.intern_local_queue(given.ns + "/" + given.name);
    const auto target = given.cluster_queue.empty()
                            ? NodeIndex{}
                            : names_.intern_cluster_queue(given.cluster_queue);
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    const bool was_open = record.exists && !record.stopped && record.cluster_queue == target;
    const bool newly_matches = record.exists && record.namespace_match != NamespaceMatch::Matches &&
                               given.namespace_match == NamespaceMatch::Matches;
    if (record.cluster_queue != target) {
        move_to_cluster_queue(index, target);
    }
    record.exists = true;
    record.stopped = given.stopped;
    record.namespace_match = given.namespace_match;
    record.weight = given.fair_weight;
    ledgers_.begin(index, given.consumed);
    ledgers_.update(index);
    if (record.stopped) {
        queues_.close(index);
    } else if (!was_open) {
        queues_.open(index);
    }
    if (newly_matches && target.is_valid()) {
        wakes_.wake_tree_of(target);
    }
}

void ObjectsEditor::on(const LocalQueueDeleted& event) {
    const auto index = data_.local_queue_names.find(event.ns + "/" + event.name);
    if (!index.is_valid()) {
        return;
    }
    move_to_cluster_queue(index, NodeIndex{});
    ledgers_.end(index);
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    record.exists = false;
    record.stopped = false;
    names_.end_local_queue(index);
}

void ObjectsEditor::on(const NodeChanged& event) {
    wakes_.wake_users_of(topologies_.set_node(event.node));
}

void ObjectsEditor::on(const NodeDeleted& event) {
    topologies_.remove_node(event.name);
}

void ObjectsEditor::on(const PodShapeChanged& event) {
    ShapeRecord shape;
    for (const auto& refusal : event.shape.refusals) {
        const auto flavor = names_.intern_flavor(refusal.flavor);
        shape.refusals[flavor] = {.kind = refusal.kind, .taint = refusal.taint};
    }
    shape.topology = event.shape.topology;
    shape.placement_fault = event.shape.placement_fault;
    topologies_.set_verdicts(shape, event.shape.nodes);
    for (const auto& resource : event.shape.resources) {
        shape.resources.push_back(names_.use_resource(resource));
    }
    const auto [at, is_new] = data_.shapes.write().emplace(event.shape.id, shape);
    if (is_new) {
        return;
    }
    const ShapeRecord before = std::exchange(at->second, std::move(shape));
    for (const auto resource : before.resources) {
        names_.release_resource(resource);
    }
    // Flavors that refused pods of this shape before and no longer do.
    std::set<FlavorIndex> opened;
    for (const auto& [flavor, verdict] : before.refusals) {
        if (!at->second.refusals.contains(flavor)) {
            opened.insert(flavor);
        }
    }
    for (const auto& [flavor, verdicts] : before.nodes) {
        opened.insert(flavor);  // it may have lost refusals of nodes
    }
    wakes_.wake_users_of(opened);
}

void ObjectsEditor::on(const PodShapeDeleted& event) {
    const auto shape = data_.shapes.write().extract(event.id);
    if (shape.empty()) {
        return;
    }
    for (const auto resource : shape.mapped().resources) {
        names_.release_resource(resource);
    }
}

void ObjectsEditor::on(const TimerFired&) {
    wakes_.refresh();
    topologies_.refresh();
    wakes_.wake_due_trees();
    ledgers_.sample();
    wakes_.end_back_offs();
}

}  // namespace sluice::engine
