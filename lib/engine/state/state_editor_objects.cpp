// Applies events of flavors, cohorts, ClusterQueues, LocalQueues and pod shapes to the state.
#include "base/assert.hpp"
#include "engine/state/state_editor.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

/// Returns the 64-bit FNV-1a hash of a name. Kueue orders the resources of a request by it.
std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3U;
    }
    return hash;
}

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

bool uses_flavor(const ClusterQueueRecord& queue, FlavorIndex flavor) {
    return std::any_of(queue.groups.begin(), queue.groups.end(), [&](const ResolvedGroup& group) {
        return std::find(group.flavors.begin(), group.flavors.end(), flavor) != group.flavors.end();
    });
}

}  // namespace

FlavorIndex StateEditor::intern_flavor(std::string_view name) {
    if (const auto known = data_.flavors->find(name); known.is_valid()) {
        return known;
    }
    const auto index = data_.flavors.write().intern(name);
    data_.flavor_exists.write().resize(data_.flavors->size(), false);
    data_.flavor_topology.write().resize(data_.flavors->size(), false);
    return index;
}

ResourceIndex StateEditor::use_resource(std::string_view name) {
    auto& uses = data_.resource_uses.write();
    if (const auto known = data_.resources->find(name); known.is_valid()) {
        ++uses[known.at()];
        return known;
    }
    const auto index = data_.resources.write().intern(name);
    uses.resize(data_.resources->size(), 0);
    uses[index.at()] = 1;
    auto& hashes = data_.resource_hashes.write();
    hashes.resize(data_.resources->size(), 0);
    hashes[index.at()] = fnv1a(name);
    return index;
}

void StateEditor::release_resource(ResourceIndex resource) {
    if (--data_.resource_uses.write()[resource.at()] == 0) {
        data_.resources.write().erase(resource);
    }
}

FlavorResourceIndex StateEditor::intern_pair(std::string_view flavor, std::string_view resource) {
    const auto pair = std::pair(intern_flavor(flavor), use_resource(resource));
    const auto at = data_.pair_index->find(pair);
    if (at != data_.pair_index->end()) {
        release_resource(pair.second);  // the pair is a use already
        return at->second;
    }
    const auto index = make_index<FlavorResourceIndex>(data_.pairs->size());
    data_.pairs.write().push_back(pair);
    data_.pair_index.write().emplace(pair, index);
    return index;
}

NodeIndex StateEditor::intern_cluster_queue(std::string_view name) {
    const auto index = data_.tree.intern_cluster_queue(name);
    data_.cluster_queues.resize(std::max(data_.cluster_queues.size(), index.at() + 1));
    return index;
}

NodeIndex StateEditor::intern_cohort(std::string_view name) {
    const auto index = data_.tree.intern_cohort(name);
    data_.cluster_queues.resize(std::max(data_.cluster_queues.size(), index.at() + 1));
    return index;
}

std::vector<DeclaredQuota> StateEditor::declared_quotas(const std::vector<ResourceGroup>& groups) {
    std::vector<DeclaredQuota> quotas;
    for (const auto& group : groups) {
        for (const auto& flavor : group.flavors) {
            SLUICE_ASSERT(flavor.quotas.size() == group.covered_resources.size());
            for (std::size_t i = 0; i < flavor.quotas.size(); ++i) {
                quotas.push_back(DeclaredQuota{
                    .flavor_resource = intern_pair(flavor.flavor, group.covered_resources[i]),
                    .nominal = flavor.quotas[i].nominal,
                    .borrowing_limit = flavor.quotas[i].borrowing_limit,
                    .lending_limit = flavor.quotas[i].lending_limit,
                });
            }
        }
    }
    return quotas;
}

bool StateEditor::is_active(NodeIndex cluster_queue) const {
    const auto& record = data_.cluster_queues[cluster_queue.at()];
    if (!record.exists || !record.spec.accepts_workloads ||
        data_.tree.node(cluster_queue).in_cycle) {
        return false;
    }
    return std::all_of(record.groups.begin(), record.groups.end(), [&](const ResolvedGroup& group) {
        return std::all_of(group.flavors.begin(), group.flavors.end(), [&](FlavorIndex flavor) {
            return (*data_.flavor_exists)[flavor.at()];
        });
    });
}

void StateEditor::refresh() {
    if (!data_.tree.is_stale()) {
        return;
    }
    std::vector<NodeIndex> touched;
    data_.tree.refresh(touched);
    for (const auto index : touched) {
        queue(index).active = is_active(index);
        data_.tree.set_active(index, queue(index).active);
    }
}

void StateEditor::on(const FlavorChanged& event) {
    const auto flavor = intern_flavor(event.flavor.name);
    const bool has_topology = !event.flavor.topology.empty();
    if ((*data_.flavor_exists)[flavor.at()] &&
        (*data_.flavor_topology)[flavor.at()] == has_topology) {
        return;
    }
    data_.flavor_exists.write()[flavor.at()] = true;
    data_.flavor_topology.write()[flavor.at()] = has_topology;
    refresh();
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        if (uses_flavor(state_.cluster_queue(index), flavor)) {
            queue(index).active = is_active(index);
            data_.tree.set_active(index, queue(index).active);
            wake_tree_of(index);
        }
    }
}

void StateEditor::on(const FlavorDeleted& event) {
    const auto flavor = data_.flavors->find(event.name);
    if (!flavor.is_valid() || !(*data_.flavor_exists)[flavor.at()]) {
        return;
    }
    data_.flavor_exists.write()[flavor.at()] = false;
    data_.flavor_topology.write()[flavor.at()] = false;
    refresh();
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        if (uses_flavor(state_.cluster_queue(index), flavor)) {
            queue(index).active = false;
            data_.tree.set_active(index, false);
        }
    }
}

void StateEditor::on(const CohortChanged& event) {
    const auto& cohort = event.cohort;
    const auto index = intern_cohort(cohort.name);
    if (!cohort.parent.empty()) {
        intern_cohort(cohort.parent);
    }
    const NodeIndex left = declared_parent(index);
    const auto known = data_.cohorts->find(index);
    if (known != data_.cohorts->end() && known->second == cohort) {
        return;
    }
    data_.cohorts.write().insert_or_assign(index, cohort);
    auto quotas = declared_quotas(cohort.resource_groups);
    data_.tree.set_object(index, cohort.parent, cohort.fair_weight, std::move(quotas));
    refresh();
    data_.tree.touch(data_.tree.node(index).root);  // for a change of any field
    wake_trees_of(index, left);
}

void StateEditor::on(const CohortDeleted& event) {
    const auto index = data_.tree.find_cohort(event.name);
    if (!index.is_valid() || !data_.tree.node(index).has_object) {
        return;
    }
    const NodeIndex left = declared_parent(index);
    data_.cohorts.write().erase(index);
    data_.tree.remove_object(index);
    // Kueue wakes no workload here, which strands workloads that only the cohort's limits blocked.
    wake_trees_of(index, left);
}

NodeIndex StateEditor::declared_parent(NodeIndex node) const {
    const std::string& name = data_.tree.node(node).parent_name;
    return name.empty() ? NodeIndex{} : data_.tree.find_cohort(name);
}

void StateEditor::wake_trees_of(NodeIndex node, NodeIndex left) {
    wake_tree_of(node);
    // A node that moves takes its usage along, which frees quota in the tree that it left.
    if (left.is_valid() && data_.tree.node(left).root != data_.tree.node(node).root) {
        wake_tree_of(left);
    }
}

void StateEditor::on(const ClusterQueueChanged& event) {
    const auto& spec = event.cluster_queue;
    const auto index = intern_cluster_queue(spec.name);
    if (!spec.cohort.empty()) {
        intern_cohort(spec.cohort);
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
        data_.not_ready_holders += not_ready_holders_of(record);
    }
    record.spec = spec;
    resolve_groups(record, spec.resource_groups);
    if (quota_changed) {
        data_.tree.set_object(
            index, spec.cohort, spec.fair_weight, declared_quotas(spec.resource_groups)
        );
    }
    reorder(record);  // admission fair sharing may have been turned on or off
    refresh();
    if (reordered) {
        data_.tree.touch(data_.tree.node(index).root);  // positions of tried flavors changed
    }
    record.active = is_active(index);
    data_.tree.set_active(index, record.active);
    if (is_new) {
        for (const auto local_queue : std::vector(record.local_queues)) {
            requeue_all_of(local_queue);
        }
    }
    wake_trees_of(index, left);
}

void StateEditor::resolve_groups(ClusterQueueRecord& of, const std::vector<ResourceGroup>& groups) {
    const std::vector<ResolvedGroup> before = std::exchange(of.groups, {});
    for (const auto& group : groups) {
        ResolvedGroup& resolved = of.groups.emplace_back();
        for (const auto& resource : group.covered_resources) {
            resolved.resources.push_back(use_resource(resource));
        }
        for (const auto& flavor : group.flavors) {
            resolved.flavors.push_back(intern_flavor(flavor.flavor));
        }
    }
    for (const auto& group : before) {
        for (const auto resource : group.resources) {
            release_resource(resource);
        }
    }
}

void StateEditor::on(const ClusterQueueDeleted& event) {
    const auto index = data_.tree.find_cluster_queue(event.name);
    if (!index.is_valid() || !queue(index).exists) {
        return;
    }
    ClusterQueueRecord& record = queue(index);
    for (const auto local_queue : std::vector(record.local_queues)) {
        drop_all_of(local_queue);
    }
    record.exists = false;
    record.active = false;
    data_.not_ready_holders -= not_ready_holders_of(record);
    record.spec = ClusterQueue{};
    resolve_groups(record, {});
    drop_preemptors(record);
    record.parked_classes.clear();
    const NodeIndex left = declared_parent(index);
    data_.tree.remove_object(index);
    wake_trees_of(index, left);
}

std::uint64_t StateEditor::not_ready_holders_of(const ClusterQueueRecord& cluster_queue) const {
    const auto& holders = cluster_queue.holders;
    return static_cast<std::uint64_t>(std::count_if(
        holders.begin(),
        holders.end(),
        [this](WorkloadIndex holder) { return !data_.workloads[holder.at()].pods_ready; }
    ));
}

LocalQueueIndex StateEditor::intern_local_queue(std::string_view ns, std::string_view name) {
    std::string key(ns);
    key += '/';
    key += name;
    if (const auto known = data_.local_queue_names->find(key); known.is_valid()) {
        return known;
    }
    const auto index = data_.local_queue_names.write().intern(key);
    data_.local_queues.resize(data_.local_queue_names->size());
    data_.local_queues.write(index.at()).key = std::move(key);
    return index;
}

void StateEditor::forget_local_queue(LocalQueueIndex index) {
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    if (!record.exists && record.workloads.empty()) {
        record = LocalQueueRecord{};
        data_.local_queue_names.write().erase(index);
    }
}

void StateEditor::on(const LocalQueueChanged& event) {
    const auto& given = event.local_queue;
    const auto index = intern_local_queue(given.ns, given.name);
    const auto target =
        given.cluster_queue.empty() ? NodeIndex{} : intern_cluster_queue(given.cluster_queue);
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    const bool was_open = record.exists && !record.stopped && record.cluster_queue == target;
    const bool newly_matches = record.exists && record.namespace_match != NamespaceMatch::Matches &&
                               given.namespace_match == NamespaceMatch::Matches;
    if (record.cluster_queue != target) {
        drop_all_of(index);
        if (record.cluster_queue.is_valid()) {
            std::erase(queue(record.cluster_queue).local_queues, index);
        }
        record.cluster_queue = target;
        if (target.is_valid()) {
            queue(target).local_queues.push_back(index);
        }
        recount_admitted(index);
    }
    record.exists = true;
    record.stopped = given.stopped;
    record.namespace_match = given.namespace_match;
    record.weight = given.fair_weight;
    begin_ledger(index, given.consumed);
    update_fair_usage(index);
    if (record.stopped) {
        drop_all_of(index);
    } else if (!was_open) {
        requeue_all_of(index);
    }
    if (newly_matches && target.is_valid()) {
        wake_tree_of(target);
    }
}

void StateEditor::on(const LocalQueueDeleted& event) {
    const auto index = data_.local_queue_names->find(event.ns + "/" + event.name);
    if (!index.is_valid()) {
        return;
    }
    drop_all_of(index);
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    if (record.cluster_queue.is_valid()) {
        std::erase(queue(record.cluster_queue).local_queues, index);
    }
    end_ledger(index);
    record.exists = false;
    record.stopped = false;
    record.cluster_queue = NodeIndex{};
    recount_admitted(index);
    forget_local_queue(index);
}

void StateEditor::requeue_all_of(LocalQueueIndex index) {
    const LocalQueueRecord& local_queue = data_.local_queues[index.at()];
    if (!local_queue.exists || local_queue.stopped || !local_queue.cluster_queue.is_valid() ||
        !queue(local_queue.cluster_queue).exists) {
        return;
    }
    for (const auto workload : local_queue.workloads) {
        const WorkloadRecord& w = record(workload);
        if (w.queueable && w.holding == nullptr && state_.bucket(workload) != Bucket::Heap) {
            take_from_queue(workload);
            push_to_heap(workload);  // even if it is in back-off
        }
    }
}

void StateEditor::drop_all_of(LocalQueueIndex index) {
    for (const auto workload : data_.local_queues[index.at()].workloads) {
        take_from_queue(workload);
        clear_preemptor(workload);
        record(workload).last_assignment.reset();  // it is queued later like a new workload
    }
}

void StateEditor::on(const PodShapeChanged& event) {
    ShapeRecord shape;
    for (const auto& refusal : event.shape.refusals) {
        const auto flavor = intern_flavor(refusal.flavor);
        shape.refusals[flavor] = {.kind = refusal.kind, .taint = refusal.taint};
    }
    shape.requests_topology = event.shape.requests_topology;
    shape.requires_domain = event.shape.requires_domain;
    for (const auto& resource : event.shape.resources) {
        shape.resources.push_back(use_resource(resource));
    }
    const auto [at, is_new] = data_.shapes.write().emplace(event.shape.id, shape);
    if (is_new) {
        return;
    }
    const ShapeRecord before = std::exchange(at->second, std::move(shape));
    for (const auto resource : before.resources) {
        release_resource(resource);
    }
    // Flavors that refused pods of this shape before and no longer do.
    std::vector<FlavorIndex> opened;
    for (const auto& [flavor, verdict] : before.refusals) {
        if (!at->second.refusals.contains(flavor)) {
            opened.push_back(flavor);
        }
    }
    if (opened.empty()) {
        return;
    }
    for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
        const bool uses =
            std::any_of(opened.begin(), opened.end(), [&, &q = queue(index)](FlavorIndex flavor) {
                return uses_flavor(q, flavor);
            });
        if (uses) {
            wake_tree_of(index);
        }
    }
}

void StateEditor::on(const PodShapeDeleted& event) {
    const auto shape = data_.shapes.write().extract(event.id);
    if (shape.empty()) {
        return;
    }
    for (const auto resource : shape.mapped().resources) {
        release_resource(resource);
    }
}

}  // namespace sluice::engine
