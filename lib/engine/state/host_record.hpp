// Nodes of the cluster, and the verdicts of pods on them, as the state keeps them.
#pragma once

#include "base/cow.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/topology/domain_tree.hpp"
#include "engine/types/ids.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// The levels of a flavor's topology.
struct FlavorLevels {
    std::string topology;             ///< name of the Topology object; empty to enforce capacity
    std::vector<std::string> levels;  ///< empty if that object does not exist
    friend bool operator==(const FlavorLevels&, const FlavorLevels&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&FlavorLevels::topology, &FlavorLevels::levels);
    }
};

/// A node among the nodes of a flavor.
struct HostPlace {
    /// The path does not name a value for each level: its node does not know the levels yet.
    static constexpr std::uint32_t kNoLeaf = std::numeric_limits<std::uint32_t>::max();

    FlavorIndex flavor;
    DomainPath path;
    std::uint32_t leaf = kNoLeaf;  ///< valid while no topology is stale; not saved

    /// All members, for save() and load().
    static constexpr auto members() { return std::tuple(&HostPlace::flavor, &HostPlace::path); }
};

/// A node of the cluster.
struct HostRecord {
    bool exists = false;
    std::vector<HostPlace> places;
    std::vector<Request> capacity;
    std::vector<Request> quota_capacity;  ///< see Node; empty if it is the same

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &HostRecord::exists,
            &HostRecord::places,
            &HostRecord::capacity,
            &HostRecord::quota_capacity
        );
    }
};

/// The records of nodes, by HostIndex.
using HostRecords = CowVector<HostRecord, 16>;

/// The verdict of a node on pods of a shape.
struct HostVerdict {
    static constexpr std::uint32_t kAllowed = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t refusal = kAllowed;  ///< index in HostVerdicts::refusals
    std::int64_t affinity = 0;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&HostVerdict::refusal, &HostVerdict::affinity);
    }
};

/// The verdicts of a flavor's nodes on pods of a shape; a node without entry accepts them.
struct HostVerdicts {
    std::vector<std::string> refusals;  ///< in the words of messages
    std::map<HostIndex, HostVerdict> hosts;

    void set(HostIndex host, const std::string& refusal, std::int64_t affinity);

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&HostVerdicts::refusals, &HostVerdicts::hosts);
    }
};

}  // namespace sluice::engine
