// The order of victims within a ClusterQueue under admission fair sharing (KEP-4136).
#pragma once

#include "engine/state/state.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A victim as put_larger_users_first() compares it.
struct RankedVictim {
    std::string_view name;  ///< of its LocalQueue, without the namespace
    double usage = 0.0;
    std::size_t place = 0;
};

/// Sorts by usage, the largest first. Victims of LocalQueues with the same name keep their order.
/// std::stable_sort() is not possible: if LocalQueues of several namespaces have the same name, the
/// comparison can be circular.
inline void merge_sort(std::span<RankedVictim> victims) {
    if (victims.size() < 2) {
        return;
    }
    const auto left = victims.first(victims.size() / 2);
    const auto right = victims.subspan(left.size());
    merge_sort(left);
    merge_sort(right);
    std::vector<RankedVictim> merged;
    merged.reserve(victims.size());
    for (std::size_t l = 0, r = 0; merged.size() < victims.size();) {
        const bool takes_right =
            l == left.size() ||
            (r < right.size() && right[r].name != left[l].name && right[r].usage > left[l].usage);
        merged.push_back(takes_right ? right[r++] : left[l++]);
    }
    std::copy(merged.begin(), merged.end(), victims.begin());
}

/// Under admission fair sharing, orders the victims of each ClusterQueue among themselves: those of
/// the LocalQueue that has used more come first (KEP-4136). `victims` are sorted by the other
/// rules, and exchange places within their ClusterQueue. One comparison for all rules would be
/// circular (a before b before c before a). Like Kueue, this compares names without the namespace,
/// so it does not distinguish LocalQueues of the same name. `workload_of` returns the WorkloadIndex
/// of an element.
template <class Victims, class WorkloadOf>
void put_larger_users_first(const State& state, Victims& victims, WorkloadOf workload_of) {
    if (!state.options().admission_fair_sharing) {
        return;
    }
    // Victims that are being evicted already are separate.
    std::map<std::pair<NodeIndex, bool>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < victims.size(); ++i) {
        const Holding& holding = *state.workload(workload_of(victims[i])).holding;
        if (state.shares_admission_fairly(state.cluster_queue(holding.cluster_queue))) {
            places[{holding.cluster_queue, holding.evicted}].push_back(i);
        }
    }
    for (const auto& [of, at] : places) {
        std::vector<RankedVictim> ranked;
        std::vector<typename Victims::value_type> own;
        for (const auto place : at) {
            const WorkloadRecord& workload = state.workload(workload_of(victims[place]));
            const LocalQueueRecord& local_queue = state.local_queue(workload.local_queue);
            const std::string_view key = local_queue.key;
            ranked.push_back(RankedVictim{
                .name = key.substr(key.find('/') + 1),
                .usage = local_queue.fair_usage,
                .place = own.size(),
            });
            own.push_back(victims[place]);
        }
        merge_sort(ranked);
        for (std::size_t i = 0; i < at.size(); ++i) {
            victims[at[i]] = own[ranked[i].place];
        }
    }
}

}  // namespace sluice::engine
