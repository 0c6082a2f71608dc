#include "engine/preemption/candidate_lists.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice::engine {

bool is_better_victim(
    const State& state, const Candidate& a, int rank_of_a, const Candidate& b, int rank_of_b
) {
    if (a.evicted != b.evicted) {
        return a.evicted;
    }
    if (rank_of_a != rank_of_b) {
        return rank_of_a < rank_of_b;
    }
    if (a.priority != b.priority) {
        return a.priority < b.priority;
    }
    if (a.reserved_at != b.reserved_at) {
        return a.reserved_at > b.reserved_at;
    }
    const WorkloadRecord& x = state.workload(a.workload);
    const WorkloadRecord& y = state.workload(b.workload);
    return is_before_by_name(x, y);
}

bool allows(
    PreemptionPolicy policy, const WorkloadRecord& preemptor, const WorkloadRecord& candidate
) {
    switch (policy) {
        case PreemptionPolicy::Never:
            return false;
        case PreemptionPolicy::LowerPriority:
            return preemptor.priority > candidate.priority;
        case PreemptionPolicy::LowerOrNewerEqualPriority:
            return preemptor.priority > candidate.priority ||
                   (preemptor.priority == candidate.priority &&
                    preemptor.queue_order < candidate.queue_order);
        case PreemptionPolicy::Any:
            return true;
    }
    return false;
}

const Candidate* CandidateList::at(std::size_t position) {
    const std::size_t size = candidates_.size();
    if (position >= size) {
        return nullptr;
    }
    const auto later = [this](const Candidate& a, const Candidate& b) {
        return is_better_victim(*state_, b, 0, a, 0);
    };
    if (left_ == 0) {
        std::make_heap(candidates_.begin(), candidates_.end(), later);
    }
    for (; left_ <= position; ++left_) {
        std::pop_heap(
            candidates_.begin(), candidates_.end() - static_cast<std::ptrdiff_t>(left_), later
        );
    }
    return &candidates_[size - 1 - position];
}

std::size_t CandidateList::skip(const std::set<WorkloadIndex>& removed) {
    while (removed_ < candidates_.size() && removed.contains(at(removed_)->workload)) {
        ++removed_;
    }
    return removed_;
}

void CandidateWalk::find() {
    for (;; ++position_) {
        current_ = list_->at(position_);
        if (current_ == nullptr) {
            return;
        }
        if (!current_->evicted && right_.policy != PreemptionPolicy::Any &&
            current_->priority > right_.preemptor->priority) {
            current_ = nullptr;  // later candidates have the same or a higher priority
            return;
        }
        const WorkloadIndex index = current_->workload;
        if (index != right_.spared && !right_.removed->contains(index) &&
            allows(right_.policy, *right_.preemptor, right_.state->workload(index))) {
            return;
        }
    }
}

CandidateLists::Holders& CandidateLists::holders_of(NodeIndex cluster_queue) {
    if (used_last_.second == nullptr || used_last_.first != cluster_queue) {
        const auto [at, is_new] = holders_.try_emplace(cluster_queue);
        const ClusterQueueRecord& queue = state_.cluster_queue(cluster_queue);
        if (is_new && queue.active) {
            group(queue.holders, at->second);
        }
        used_last_ = {cluster_queue, &at->second};
    }
    return *used_last_.second;
}

void CandidateLists::group(const std::vector<WorkloadIndex>& all, Holders& into) {
    auto& uses = uses_;
    uses.clear();
    for (const auto index : all) {
        for (const auto& usage : state_.workload(index).holding->usages) {
            uses.emplace_back(usage.flavor_resource, index);
        }
    }
    const auto is_less = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(uses.begin(), uses.end(), is_less)) {
        std::sort(uses.begin(), uses.end());
    }
    into.by_flavor_resource.reserve(uses.size());
    for (const auto& [flavor_resource, index] : uses) {
        const WorkloadRecord& holder = state_.workload(index);
        into.by_flavor_resource.push_back({
            .workload = index,
            .priority = holder.priority,
            .reserved_at = holder.holding->reserved_at.value_or(now_),
            .evicted = holder.holding->evicted,
        });
    }
    const std::span<Candidate> candidates = into.by_flavor_resource;
    for (std::size_t begin = 0; begin < uses.size();) {
        const auto end = static_cast<std::size_t>(
            std::upper_bound(
                uses.begin() + static_cast<std::ptrdiff_t>(begin), uses.end(), uses[begin], is_less
            ) -
            uses.begin()
        );
        into.lists.emplace_back(
            uses[begin].first, CandidateList(state_, candidates.subspan(begin, end - begin))
        );
        begin = end;
    }
}

CandidateList& CandidateLists::merged(Holders& holders, const FlavorResources& needed) const {
    const auto [at, is_new] = holders.merged.try_emplace(needed);
    Merged& merged = at->second;
    if (is_new) {
        for (const auto& [flavor_resource, list] : holders.lists) {
            if (std::binary_search(needed.begin(), needed.end(), flavor_resource)) {
                const auto some = list.unordered();
                merged.candidates.insert(merged.candidates.end(), some.begin(), some.end());
            }
        }
        auto& all = merged.candidates;
        std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
            return a.workload < b.workload;
        });
        const auto is_same = [](const Candidate& a, const Candidate& b) {
            return a.workload == b.workload;
        };
        all.erase(std::unique(all.begin(), all.end(), is_same), all.end());
        merged.list = CandidateList(state_, all);
    }
    return merged.list;
}

CandidateList& CandidateLists::in(NodeIndex cluster_queue, const FlavorResources& needed) {
    Holders& holders = holders_of(cluster_queue);
    if (needed.size() != 1) {
        return merged(holders, needed);
    }
    auto& lists = holders.lists;
    if (lists.empty()) {
        return none_;
    }
    // The flavor-resources of an object mostly have consecutive indices.
    const std::size_t guess = needed.front().at() - lists.front().first.at();
    if (guess < lists.size() && lists[guess].first == needed.front()) {
        return lists[guess].second;
    }
    const auto at = std::lower_bound(
        lists.begin(),
        lists.end(),
        needed.front(),
        [](const auto& list, FlavorResourceIndex key) { return list.first < key; }
    );
    return at != lists.end() && at->first == needed.front() ? at->second : none_;
}

}  // namespace sluice::engine
