// The nodes of a holder's pods, in flavors that enforce capacity.
#pragma once

#include "engine/types/ids.hpp"
#include "engine/types/topology_objects.hpp"

#include <cstdint>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// The nodes of one podSet of a holder, in a flavor that enforces capacity (annotation
/// sluice.dev/capacity). Kubernetes chooses the nodes: pods without one have room where they are
/// expected, until they show where they run.
struct HeldNodes {
    FlavorIndex flavor;
    std::uint32_t pod_set = 0;         ///< position in the workload's podSets
    std::int64_t count = 0;            ///< pods that still need quota
    std::vector<DomainPods> running;   ///< by host
    std::vector<DomainPods> expected;  ///< room for other pods, by host

    /// Returns the number of pods that have neither a node nor room on one.
    std::int64_t without_room() const;
    /// Takes the pods that need quota. Room of fewer pods is given back, the last host's first.
    void set_count(std::int64_t pods);
    /// Takes the pods that have nodes. A pod gives back the room that it had on its node, else that
    /// on the last host.
    void set_running(std::vector<DomainPods> hosts);
    /// Adds room for pods.
    void expect(const DomainPods& pods);

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &HeldNodes::flavor,
            &HeldNodes::pod_set,
            &HeldNodes::count,
            &HeldNodes::running,
            &HeldNodes::expected
        );
    }

  private:
    /// Gives back room that no pod needs.
    void trim();
};

}  // namespace sluice::engine
