// A slow and obvious placer of pods in a topology, which the fast one is compared with.
#pragma once

#include "engine/topology/placement.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::reference {

/// The room of each host, by the values of its levels, the coarsest first.
using PlacerHosts = std::map<std::vector<std::string>, engine::LeafRoom>;

/// The pods that one host gets.
struct PlacerShare {
    std::int64_t pods = 0;
    bool with_leader = false;
    friend bool operator==(const PlacerShare&, const PlacerShare&) = default;
};

/// The hosts that get pods or the leader, or the shortage.
struct PlacerResult {
    std::map<std::vector<std::string>, PlacerShare> shares;
    std::optional<engine::PlacementShortage> shortage;
};

/// Places the pods by the specification's sections 6.4 to 6.7. Requires: a host, and paths of equal
/// length, in which the request's levels exist.
PlacerResult place_slowly(const PlacerHosts& hosts, const engine::PlacementRequest& request);

}  // namespace sluice::reference
