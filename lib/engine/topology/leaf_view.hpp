// The free resources of the leaves of all flavors, with assumed changes.
#pragma once

#include "engine/topology/flavor_topology.hpp"
#include "engine/topology/leaf_capacity.hpp"
#include "engine/topology/leaf_demand.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace sluice::engine {

/// Takes what pods use from a leaf of their flavor, and from the same host as a leaf of other
/// flavors. `times` -1 gives it back.
void take(Topologies& topologies, const LeafDemand& demand, std::int64_t times);

/// How a cycle compares what it assumes with nodes. Kueue leaves something out: each podSet is
/// compared alone and without its number of pods, and what starts is not seen by other flavors on
/// the same hosts. So two workloads of one cycle can overfill a node.
struct NodeFitRule {
    bool is_strict = false;  ///< nothing is left out (SluiceTASStrictNodeFit)
    ResourceIndex pods;      ///< the resource that is left out otherwise
};

/// The free resources of leaves with assumed changes; part of a UsageView. Copies are independent
/// of each other. *Cost*: the first change of a flavor copies its LeafCapacity.
///
/// *Lifetime*: the topologies outlive the view and do not change in that time.
class LeafView {
  public:
    explicit LeafView(const Topologies& topologies, const NodeFitRule& rule = {})
        : topologies_(&topologies), rule_(rule) {}

    const Topologies& topologies() const { return *topologies_; }
    /// Requires: the flavor has a topology. *Lifetime*: until a change.
    const LeafCapacity& free(FlavorIndex flavor) const {
        const auto changed = changed_.find(flavor);
        return changed == changed_.end() ? topologies_->find(flavor)->free() : changed->second;
    }
    /// Returns true if all pods have room, each leaf with a node.
    bool fits(LeafDemands demands) const;
    /// Assumes that the pods run (`times` 1), or that they do not (`times` -1). Other flavors on
    /// the same hosts see it too if they enforce capacity, and all if the rule is strict and the
    /// pods start (`starts`).
    void take(LeafDemands demands, std::int64_t times, bool starts);

    /// Begins a trial within the present one. Returns what ends it.
    std::size_t begin_trial();
    /// Ends the innermost trial and takes its changes back. `outer`: from begin_trial().
    void take_back(std::size_t outer);
    /// Ends the innermost trial; the trial around it decides about its changes, or they stay.
    void keep(std::size_t outer);

  private:
    struct Saved {
        FlavorIndex flavor;
        std::optional<LeafCapacity> before;  // nullopt if it was unchanged until then
    };
    LeafCapacity& write(FlavorIndex flavor);
    bool fits_alone(const LeafDemand& demand) const;
    bool fit_together(LeafDemands demands) const;
    void save(FlavorIndex flavor);
    void end_trial(std::size_t outer);

    const Topologies* topologies_;
    NodeFitRule rule_;
    std::map<FlavorIndex, LeafCapacity> changed_;
    std::vector<Saved> undo_;
    std::size_t mark_ = 0;      // where the innermost trial begins in undo_
    std::uint32_t trials_ = 0;  // number of trials that have not ended
};

}  // namespace sluice::engine
