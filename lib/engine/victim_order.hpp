#pragma once

#include "engine/state.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Under admission fair sharing the victims of one ClusterQueue, among themselves, are first those
/// of the LocalQueue that has used more (spec 5.2). As one comparison with the rules between
/// ClusterQueues that would be a circle (a before b before c before a); so `victims`, sorted by the
/// other rules, exchange places within their ClusterQueue. As upstream compares names without the
/// namespace, LocalQueues that all have the same one are not told apart. `workload_of` gives the
/// WorkloadIndex of an element.
template <class Victim, class WorkloadOf>
void put_larger_users_first(
    const State& state, std::vector<Victim>& victims, WorkloadOf workload_of
) {
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
    const auto usage_of = [&](const Victim& victim) {
        return state.local_queue(state.workload(workload_of(victim)).local_queue).fair_usage;
    };
    const auto name_of = [&](std::size_t place) {
        const WorkloadRecord& workload = state.workload(workload_of(victims[place]));
        const std::string_view key = state.local_queue(workload.local_queue).key;
        return key.substr(key.find('/') + 1);
    };
    for (const auto& [of, at] : places) {
        const auto is_like_first = [&](std::size_t place) {
            return name_of(place) == name_of(at.front());
        };
        if (std::all_of(at.begin(), at.end(), is_like_first)) {
            continue;
        }
        std::vector<Victim> own;
        for (const auto place : at) {
            own.push_back(victims[place]);
        }
        std::stable_sort(own.begin(), own.end(), [&](const Victim& a, const Victim& b) {
            return usage_of(a) > usage_of(b);
        });
        for (std::size_t i = 0; i < at.size(); ++i) {
            victims[at[i]] = own[i];
        }
    }
}

}  // namespace sluice::engine
