#include "engine/state/names_editor.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

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

}  // namespace

FlavorIndex NamesEditor::intern_flavor(std::string_view name) {
    if (const auto known = data_.flavors.find(name); known.is_valid()) {
        return known;
    }
    const auto index = data_.flavors.intern(name);
    data_.flavor_exists.write().resize(data_.flavors.size(), false);
    data_.flavor_topology.write().resize(data_.flavors.size(), false);
    return index;
}

ResourceIndex NamesEditor::use_resource(std::string_view name) {
    auto& uses = data_.resource_uses.write();
    if (const auto known = data_.resources.find(name); known.is_valid()) {
        ++uses[known.at()];
        return known;
    }
    const auto index = data_.resources.intern(name);
    uses.resize(data_.resources.size(), 0);
    uses[index.at()] = 1;
    auto& hashes = data_.resource_hashes.write();
    hashes.resize(data_.resources.size(), 0);
    hashes[index.at()] = fnv1a(name);
    return index;
}

void NamesEditor::release_resource(ResourceIndex resource) {
    if (--data_.resource_uses.write()[resource.at()] == 0) {
        data_.resources.erase(resource);
    }
}

FlavorResourceIndex NamesEditor::intern_pair(std::string_view flavor, std::string_view resource) {
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

void NamesEditor::add_records() {
    data_.cluster_queues.resize(data_.tree.size());
}

NodeIndex NamesEditor::intern_cluster_queue(std::string_view name) {
    const auto index = data_.tree.intern_cluster_queue(name);
    add_records();
    return index;
}

NodeIndex NamesEditor::intern_cohort(std::string_view name) {
    const auto index = data_.tree.intern_cohort(name);
    add_records();
    return index;
}

bool NamesEditor::is_used(NodeIndex node) const {
    const QuotaTree::Node& of = data_.tree.node(node);
    const ClusterQueueRecord& record = data_.cluster_queues[node.at()];
    return of.has_object || !of.children.empty() || !record.local_queues.empty() ||
           !record.holders.empty() || data_.wake_due->contains(node);
}

void NamesEditor::end_unused_of(std::vector<NodeIndex> nodes) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const auto node : nodes) {
        if (!is_used(node)) {
            data_.tree.erase(node);
            data_.cluster_queues.write(node.at()) = ClusterQueueRecord{};
        }
    }
}

LocalQueueIndex NamesEditor::intern_local_queue(std::string_view key) {
    if (const auto known = data_.local_queue_names.find(key); known.is_valid()) {
        return known;
    }
    const auto index = data_.local_queue_names.intern(key);
    data_.local_queues.resize(data_.local_queue_names.size());
    data_.local_queues.write(index.at()).key = key;
    return index;
}

void NamesEditor::end_local_queue(LocalQueueIndex index) {
    LocalQueueRecord& record = data_.local_queues.write(index.at());
    if (!record.exists && record.workloads.empty()) {
        record = LocalQueueRecord{};
        data_.local_queue_names.erase(index);
    }
}

}  // namespace sluice::engine
