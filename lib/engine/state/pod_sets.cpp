#include "engine/state/pod_sets.hpp"

#include <utility>

namespace sluice::engine {

PodSets PodSetPool::share(std::vector<PodSetRecord> pod_sets) {
    const auto found = all_.find(pod_sets);
    if (found != all_.end()) {
        return PodSets(*found);
    }
    auto made = std::make_shared<const std::vector<PodSetRecord>>(std::move(pod_sets));
    all_.insert(made);
    return PodSets(std::move(made));
}

std::shared_ptr<const std::vector<PodSetRecord>> PodSetPool::release(PodSets& pod_sets) {
    Shared all = std::exchange(pod_sets.all_, nullptr);
    if (all == nullptr || all.use_count() > 2) {  // the pool and `all`
        return nullptr;
    }
    all_.erase(all);
    return all;
}

}  // namespace sluice::engine
