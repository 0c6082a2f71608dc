// Changes the topologies of flavors: their nodes, and what holders use of them.
#pragma once

#include "engine/state/editor.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"

#include <set>
#include <string>
#include <vector>

namespace sluice::engine {

/// Keeps the topologies of flavors consistent with nodes, verdicts and holders. A change that they
/// cannot take in place makes them stale; refresh() makes stale ones again.
class TopologiesEditor : private Editor {
  public:
    TopologiesEditor(State& state, Time now) : Editor(state, now), names_(state, now) {}

    /// Takes the topology of a flavor; without levels it has none.
    void set_levels(FlavorIndex flavor, FlavorLevels levels);
    /// Takes a node, and returns the flavors on whose nodes more pods may fit now.
    std::set<FlavorIndex> set_node(const Node& node);
    void remove_node(const std::string& name);
    /// Takes all verdicts of a shape.
    void set_verdicts(ShapeRecord& shape, const std::vector<NodeVerdict>& verdicts);

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
    std::vector<LeafDemand> leaves_of(WorkloadIndex holder, const HeldPlacement& placement) const;

    NamesEditor names_;
};

}  // namespace sluice::engine
