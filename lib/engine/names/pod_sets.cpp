#include "engine/names/pod_sets.hpp"

#include <utility>

namespace sluice::engine {
namespace {

/// Puts two values of 32 bits into one hash step.
std::uint64_t pair_of(std::int32_t a, std::int32_t b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace

std::uint64_t PodSetPool::hash_of_all(const std::vector<PodSetRecord>& pod_sets) const {
    std::uint64_t hash = hash_.mix(hash_.seed(), pod_sets.size());
    for (const auto& pod_set : pod_sets) {
        hash = hash_.add(hash, pod_set.name);
        hash = hash_.mix(hash, pair_of(pod_set.count, pod_set.min_count));
        hash = hash_.mix(hash, std::uint64_t{pod_set.shape} << 32 ^ pod_set.requests.size());
        hash = hash_.mix(hash, static_cast<std::uint32_t>(pod_set.reclaimable));
        hash = hash_.add(hash, pod_set.group);
        if (pod_set.node_requests) {
            hash = hash_.mix(hash, pod_set.node_requests->size());
        }
        for (const auto& request : pod_set.requests) {
            hash = hash_.mix(hash, request.resource.value);
            hash = hash_.mix(hash, static_cast<std::uint64_t>(request.amount.value()));
        }
    }
    return hash;
}

PodSetPool::Shared PodSetPool::make_shared(std::vector<PodSetRecord> pod_sets, PodSetsIndex index)
    const {
    const std::uint64_t hash = hash_of_all(pod_sets);
    return std::make_shared<const SharedPodSets>(
        SharedPodSets{.all = std::move(pod_sets), .index = index, .hash = hash}
    );
}

PodSets PodSetPool::share(std::vector<PodSetRecord> pod_sets) {
    const std::uint64_t hash = hash_of_all(pod_sets);
    const auto found = table_.find(hash, [&](PodSetsIndex index) {
        const SharedPodSets& known = *entries_[index.at()].shared;
        return known.hash == hash && known.all == pod_sets;
    });
    if (found.is_valid()) {
        Entry& entry = entries_.write(found.at());
        ++entry.uses;
        return PodSets(entry.shared);
    }
    auto index = make_index<PodSetsIndex>(entries_.size());
    if (free_.empty()) {
        entries_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    Entry& made = entries_.write(index.at());
    made.uses = 1;
    made.shared = make_shared(std::move(pod_sets), index);
    table_.insert(hash, index, hash_of_entry());
    return PodSets(made.shared);
}

std::shared_ptr<const SharedPodSets> PodSetPool::release(PodSets& pod_sets) {
    Shared released = std::exchange(pod_sets.shared_, nullptr);
    if (released == nullptr || --entries_.write(released->index.at()).uses > 0) {
        return nullptr;
    }
    table_.erase(released->hash, released->index, hash_of_entry());
    entries_.write(released->index.at()).shared = nullptr;
    free_.push_back(released->index);
    return released;
}

}  // namespace sluice::engine
