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
    std::string_view name;  ///< of its LocalQueue, without namespace
    double usage = 0.0;
    std::size_t place = 0;
};

/// Larger usage first, LocalQueues of one name as they are. Not std::stable_sort: with LocalQueues
/// of one name in several namespaces the comparison may go in a circle.
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

/// Under admission fair sharing the victims of one ClusterQueue, among themselves, are first those
/// of the LocalQueue that has used more (KEP-4136). As one comparison with the rules between
/// ClusterQueues that would be a circle (a before b before c before a); so `victims`, sorted by the
/// other rules, exchange places within their ClusterQueue. As upstream compares names without the
/// namespace, two LocalQueues of one name are not told apart. `workload_of` gives the WorkloadIndex
/// of an element.
template <class Victims, class WorkloadOf>
void put_larger_users_first(const State& state, Victims& victims, WorkloadOf workload_of) {
    if (!state.options().admission_fair_sharing) {
        return;
    }
    std::map<std::pair<NodeIndex, bool>, std::vector<std::size_t>> places;  // evicted ones apart
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
