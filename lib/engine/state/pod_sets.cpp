#include "engine/state/pod_sets.hpp"

#include <utility>

namespace sluice::engine {

PodSets PodSetPool::share(std::vector<PodSetRecord> pod_sets) {
    const auto found = all_.find(pod_sets);
    if (found != all_.end()) {
        ++uses_[(*found)->number];
        return PodSets(*found);
    }
    auto number = static_cast<std::uint32_t>(uses_.size());
    if (free_.empty()) {
        uses_.push_back(0);
    } else {
        number = free_.back();
        free_.pop_back();
    }
    uses_[number] = 1;
    auto made = std::make_shared<const SharedPodSets>(
        SharedPodSets{.all = std::move(pod_sets), .number = number}
    );
    all_.insert(made);
    return PodSets(std::move(made));
}

std::shared_ptr<const SharedPodSets> PodSetPool::release(PodSets& pod_sets) {
    Shared released = std::exchange(pod_sets.shared_, nullptr);
    if (released == nullptr || --uses_[released->number] > 0) {
        return nullptr;
    }
    all_.erase(released);
    free_.push_back(released->number);
    return released;
}

}  // namespace sluice::engine
