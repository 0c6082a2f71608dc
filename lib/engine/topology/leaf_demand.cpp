#include "engine/topology/leaf_demand.hpp"

#include <cstdint>
#include <map>

namespace sluice::engine {

std::vector<LeafPods> sum_by_leaf(
    const std::vector<LeafPods>& some, const std::vector<LeafPods>& others
) {
    std::map<std::uint32_t, std::int64_t> pods;
    for (const auto* part : {&some, &others}) {
        for (const LeafPods& each : *part) {
            pods[each.leaf] += each.count;
        }
    }
    std::vector<LeafPods> made;
    made.reserve(pods.size());
    for (const auto& [leaf, count] : pods) {
        made.push_back({.leaf = leaf, .count = count});
    }
    return made;
}

}  // namespace sluice::engine
