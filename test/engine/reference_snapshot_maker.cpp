#include "engine/reference.hpp"

#include <algorithm>

namespace sluice::reference {

namespace {

std::string parent_cohort(
    const std::map<std::string, engine::Cohort>& cohorts, const std::string& name
) {
    const auto found = cohorts.find(name);
    return found == cohorts.end() ? "" : found->second.parent;
}

}  // namespace

std::string Cluster::parent_of(const std::string& cohort) const {
    return parent_cohort(cohorts_, cohort);
}

bool Cluster::is_cyclic(const std::string& cohort) const {
    std::set<std::string> seen;
    for (std::string at = cohort; !at.empty(); at = parent_of(at)) {
        if (!seen.insert(at).second) {
            return true;
        }
    }
    return false;
}

std::string Cluster::root_of(const std::string& cohort) const {
    std::string at = cohort;
    while (!parent_of(at).empty()) {
        at = parent_of(at);
    }
    return at;
}

std::set<std::string> Cluster::queues_of_tree(const std::string& cohort) const {
    std::set<std::string> result;
    if (is_cyclic(cohort)) {
        return result;
    }
    for (const auto& [name, queue] : queues_) {
        const std::string& other = queue.object.cohort;
        if (!other.empty() && !is_cyclic(other) && root_of(other) == root_of(cohort)) {
            result.insert(name);
        }
    }
    return result;
}

std::set<std::string> Cluster::tree_of(const std::string& cluster_queue) const {
    const auto found = queues_.find(cluster_queue);
    if (found == queues_.end()) {
        return {};
    }
    const std::string& cohort = found->second.object.cohort;
    return cohort.empty() ? std::set<std::string>{cluster_queue} : queues_of_tree(cohort);
}

void Cluster::collect_pairs(Snapshot& snapshot) const {
    std::set<Pair> pairs;
    const auto collect = [&](const std::vector<engine::ResourceGroup>& groups) {
        for (const engine::ResourceGroup& group : groups) {
            for (const engine::FlavorQuotas& flavor : group.flavors) {
                for (const std::string& resource : group.covered_resources) {
                    pairs.emplace(flavor.flavor, resource);
                }
            }
        }
    };
    for (const auto& [name, cohort] : cohorts_) {
        collect(cohort.resource_groups);
    }
    for (const auto& [name, queue] : queues_) {
        collect(queue.object.resource_groups);
    }
    for (const auto& [key, entry] : workloads_) {
        if (const engine::QuotaReservation* reservation = held(entry)) {
            for (const engine::PodSetAssignment& pod_set : reservation->pod_sets) {
                for (const engine::AssignedResource& resource : pod_set.resources) {
                    pairs.emplace(resource.flavor, resource.resource);
                }
            }
        }
    }
    for (const Pair& pair : pairs) {
        snapshot.pair_numbers.emplace(pair, int(snapshot.pairs.size()));
        snapshot.pairs.push_back(pair);
    }
}

void Cluster::add_groups(
    Snapshot& snapshot, Node& node, const std::vector<engine::ResourceGroup>& groups
) const {
    node.quotas.resize(snapshot.pairs.size());
    node.mentioned.resize(snapshot.pairs.size());
    for (const engine::ResourceGroup& group : groups) {
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            for (std::size_t i = 0; i < group.covered_resources.size(); ++i) {
                const int number =
                    snapshot.pair_numbers.at({flavor.flavor, group.covered_resources[i]});
                node.quotas[std::size_t(number)] = flavor.quotas[i];
                node.mentioned[std::size_t(number)] = true;
            }
        }
    }
}

int Cluster::add_cohort(
    Snapshot& snapshot, const std::string& name, std::map<std::string, int>& known
) const {
    const auto found = known.find(name);
    if (found != known.end()) {
        return found->second;
    }
    const std::string parent_name = parent_of(name);
    const int parent = parent_name.empty() ? -1 : add_cohort(snapshot, parent_name, known);
    const int number = int(snapshot.nodes.size());
    known.emplace(name, number);
    Node node;
    node.name = name;
    node.parent = parent;
    const auto object = cohorts_.find(name);
    if (object != cohorts_.end()) {
        node.weight = object->second.fair_weight;
        add_groups(snapshot, node, object->second.resource_groups);
    } else {
        add_groups(snapshot, node, {});
    }
    snapshot.nodes.push_back(std::move(node));
    if (parent >= 0) {
        snapshot.at(parent).child_cohorts.push_back(number);
    }
    return number;
}

std::vector<HeldPodSet> Cluster::held_pod_sets(
    const engine::Workload& workload, const engine::QuotaReservation& reservation
) const {
    std::vector<HeldPodSet> result;
    for (const engine::PodSetAssignment& assigned : reservation.pod_sets) {
        std::int32_t count = 0;
        for (const engine::PodSet& pod_set : workload.pod_sets) {
            if (pod_set.name == assigned.name) {
                count = pod_set.count;
                if (options_.gates.reclaimable_pods) {
                    count -= std::min(pod_set.reclaimable, pod_set.count);
                }
            }
        }
        HeldPodSet held{assigned.name, std::min(count, assigned.count), {}, {}};
        for (const engine::AssignedResource& resource : assigned.resources) {
            Amount amount = resource.amount;
            if (count < assigned.count) {
                amount = Amount(amount.value() / assigned.count) * count;
            }
            held.flavors[resource.resource] = resource.flavor;
            held.amounts[resource.resource] = amount;
        }
        result.push_back(std::move(held));
    }
    return result;
}

std::map<Pair, Amount> Cluster::usage_of(
    const engine::Workload& workload, const engine::QuotaReservation& reservation
) const {
    std::map<Pair, Amount> usage;
    for (const HeldPodSet& held : held_pod_sets(workload, reservation)) {
        for (const auto& [resource, amount] : held.amounts) {
            usage[{held.flavors.at(resource), resource}] += amount;
        }
    }
    return usage;
}

std::map<std::pair<std::string, Pair>, Amount> Cluster::charged(const Entry& entry) const {
    std::map<std::pair<std::string, Pair>, Amount> result;
    if (const engine::QuotaReservation* reservation = held(entry)) {
        for (const auto& [pair, amount] : usage_of(entry.object, *reservation)) {
            result[{reservation->cluster_queue, pair}] = amount;
        }
    }
    return result;
}

Snapshot Cluster::make_snapshot() const {
    Snapshot snapshot;
    collect_pairs(snapshot);
    std::map<std::string, int> cohorts;
    for (const auto& [name, cohort] : cohorts_) {
        if (!is_cyclic(name)) {
            add_cohort(snapshot, name, cohorts);
        }
    }
    for (const auto& [name, queue] : queues_) {
        const std::string& cohort = queue.object.cohort;
        if (is_cyclic(cohort)) {
            continue;
        }
        Node node;
        node.name = name;
        node.cluster_queue = &queue.object;
        node.active = is_active(queue);
        node.weight = queue.object.fair_weight;
        node.parent = cohort.empty() ? -1 : add_cohort(snapshot, cohort, cohorts);
        add_groups(snapshot, node, queue.object.resource_groups);
        const int number = int(snapshot.nodes.size());
        snapshot.cluster_queues.emplace(name, number);
        if (node.parent >= 0) {
            snapshot.at(node.parent).child_cluster_queues.push_back(number);
        }
        snapshot.nodes.push_back(std::move(node));
    }
    for (Node& node : snapshot.nodes) {
        std::sort(node.child_cohorts.begin(), node.child_cohorts.end(), [&](int a, int b) {
            return snapshot.at(a).name < snapshot.at(b).name;
        });
    }
    snapshot.usage.assign(snapshot.nodes.size(), std::vector<Amount>(snapshot.pairs.size()));
    for (const auto& [key, entry] : workloads_) {
        const engine::QuotaReservation* reservation = held(entry);
        if (reservation == nullptr) {
            continue;
        }
        const auto queue = snapshot.cluster_queues.find(reservation->cluster_queue);
        if (queue == snapshot.cluster_queues.end()) {
            continue;
        }
        const int node = queue->second;
        Holder holder{
            .key = key,
            .uid = entry.object.uid,
            .priority = entry.object.priority,
            .queue_order = entry.object.queue_order,
            .reserved_at = reservation->reserved_at,
            .evicted = reservation->evicted || entry.evicting,
            .cluster_queue = node,
            .usage = {},
            .pod_sets = held_pod_sets(entry.object, *reservation),
            .local_queue = entry.object.ns + "/" + entry.object.local_queue,
            .fair_usage = {},
        };
        if (orders_by_usage(queues_.at(reservation->cluster_queue))) {
            holder.fair_usage = fair_usage(holder.local_queue);
        }
        for (const auto& [pair, amount] : usage_of(entry.object, *reservation)) {
            holder.usage[snapshot.pair_numbers.at(pair)] = amount;
        }
        for (const auto& [pair, amount] : holder.usage) {
            snapshot.usage[std::size_t(node)][std::size_t(pair)] += amount;
        }
        if (snapshot.at(node).active) {
            snapshot.at(node).holders.push_back(int(snapshot.holders.size()));
        }
        snapshot.holders.push_back(std::move(holder));
    }
    snapshot.derive();
    return snapshot;
}

}  // namespace sluice::reference
