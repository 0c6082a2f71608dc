#pragma once

#include "base/prng.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::whole_system {

/// What administrators have made: nodes with room for all quota, and queues in a tree of cohorts.
struct World {
    std::vector<std::string> nodes;    ///< descriptions, as `sluice dev --nodes` reads them
    std::vector<json::Value> objects;  ///< in the order in which they are created
    std::vector<std::string> queues;   ///< ClusterQueues
    std::vector<std::string> flavors;
    bool has_fair_sharing = false;
    bool waits_for_pods = false;    ///< waitForPodsReady
    bool blocks_admission = false;  ///< and nothing is admitted meanwhile
    /// Each flavor has nodes in racks a and b, and the topology of racks and hosts.
    bool has_topologies = false;
    /// Flavors hold admissions to their few nodes (sluice.dev/capacity: Enforce).
    bool enforces_capacity = false;
};

/// A text in single quotes as JSON. Requires: it is JSON with double quotes in their place.
json::Value parse(std::string text);

/// A ClusterQueue of that name with other quotas, as its administrator edits it.
json::Value some_quotas(Prng& prng, const std::vector<std::string>& flavors);

World make_world(Prng& prng);

/// Few queues with little quota, nodes with room for much more, and the rights of the user `tenant`
/// in the namespace: those of the ClusterRole `edit` and of Kueue's user roles.
World make_scarce_world(Prng& prng);

}  // namespace sluice::whole_system
