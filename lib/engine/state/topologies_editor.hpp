// Changes the topologies of flavors: their nodes, and what holders use of them.
#pragma once

#include "engine/state/editor.hpp"
#include "engine/state/held_nodes.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sluice::engine {

/// Keeps the topologies of flavors consistent with nodes, verdicts and holders. A change that they
/// cannot take in place makes them stale; refresh() makes stale ones again.
class TopologiesEditor : private Editor {
  public:
    TopologiesEditor(State& state, Time now) : Editor(state, now), names_(state, now) {}

    /// Takes the topology of a flavor, and if it enforces capacity. Without both, its nodes do not
    /// matter. `flavor`: its name may be new.
    void set_flavor(FlavorIndex index, const ResourceFlavor& flavor);
    /// Takes a node, and returns the flavors on whose nodes more pods may fit now.
    std::set<FlavorIndex> set_node(const Node& node);
    void remove_node(const std::string& name);
    /// Takes all verdicts of a shape.
    void set_verdicts(ShapeRecord& shape, const std::vector<NodeVerdict>& verdicts);

    /// Returns the nodes of the workload's pods that count if it holds quota in the flavors of
    /// `holding`; what is known of them in `known` stays.
    std::vector<HeldNodes> nodes_of(
        WorkloadIndex holder, const Holding& holding, const std::vector<HeldNodes>& known
    ) const;
    /// Takes the holder's pods that have nodes.
    void set_running(WorkloadIndex holder, const std::vector<RunningPods>& running);
    /// Notes if some host has fewer pods in `after` than in `before`.
    void note_eased(const std::vector<HeldNodes>& before, const std::vector<HeldNodes>& after);
    /// Gives back room on nodes that are gone, or that have less than their pods take: pods need
    /// not run where they were expected.
    void end_lost_room();
    /// Keeps room for pods of a holder that have none, on leaves of their flavor. `nodes`: position
    /// in HeldPlacement::nodes.
    void expect(WorkloadIndex holder, std::size_t nodes, const std::vector<LeafPods>& leaves);

    /// Notes that room was looked for in all that is free now.
    void end_search() { data_.has_new_room = false; }

    /// Takes what the holder uses. Requires: it has just begun to hold quota.
    void hold(WorkloadIndex holder);
    /// Gives back what the holder uses. Requires: it still has its holding.
    void release(WorkloadIndex holder, const Holding& holding);

    /// Makes the stale topologies again.
    void refresh();

  private:
    void add_to_topologies(HostIndex host);
    void remove_from_topologies(HostIndex host);
    void make_stale(FlavorIndex flavor);
    /// Returns true if a verdict has changed.
    bool set_verdicts_of(HostIndex host, const std::vector<NodeVerdict>& verdicts);
    std::vector<HostIndex> hosts_by_name() const;
    void grow(FlavorIndex flavor, const std::vector<HostIndex>& hosts);
    void find_twins();
    const std::vector<Request>& capacity_for(FlavorIndex flavor, const HostRecord& host) const {
        const bool is_other =
            !host.quota_capacity.empty() && data_.enforcing_flavors->contains(flavor);
        return is_other ? host.quota_capacity : host.capacity;
    }
    std::vector<Request> use_resources(const std::vector<NodeResource>& amounts);
    void release_resources(const HostRecord& host);
    void note_room(WorkloadIndex holder);
    void end_lost_room_of(WorkloadIndex holder);
    std::vector<LeafDemand> leaves_of(WorkloadIndex holder, const HeldPlacement& placement) const;

    NamesEditor names_;
};

}  // namespace sluice::engine
