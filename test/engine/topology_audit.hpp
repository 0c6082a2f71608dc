#pragma once

#include "engine/state/state.hpp"
#include "engine/topology/leaf_view.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace sluice::engine {

/// Topologies are changed in place by nodes and holders. Counts again what their leaves have and
/// what is free there.
class TopologyAudit {
  public:
    explicit TopologyAudit(const State& state) : state_(state), data_(state.data()) {}

    /// Where the state differs from that; "": nowhere.
    std::string run() const {
        if (const std::string found = check_placed_holders(); !found.empty()) {
            return found;
        }
        if (data_.topologies_stale) {
            return "";
        }
        if (const std::string found = check_room(); !found.empty()) {
            return found;
        }
        if (const std::string found = check_idle(); !found.empty()) {
            return found;
        }
        return check_free();
    }

  private:
    /// Calls the function with each flavor that has a topology.
    template <class Use>
    std::string for_each_topology(const Use& use) const {
        for (const auto& [flavor, levels] : *data_.flavor_levels) {
            const FlavorTopology* of = data_.topologies.find(flavor);
            if ((of != nullptr) == levels.levels.empty()) {
                return "a flavor's topology is not there as its levels are";
            }
            if (of != nullptr && !use(flavor, *of)) {
                return "the leaves are not what their nodes and holders are: " +
                       state_.flavor_name(flavor);
            }
        }
        return "";
    }

    std::string check_placed_holders() const {
        std::set<WorkloadIndex> placed;
        for (std::size_t i = 0; i < data_.workloads.size(); ++i) {
            const WorkloadRecord& record = data_.workloads[i];
            if (record.holding != nullptr && record.holding->placement != nullptr &&
                record.holding->placement->has_places()) {
                placed.insert(make_index<WorkloadIndex>(i));
            }
        }
        return placed == *data_.placed_holders ? "" : "a holder's topology is not known";
    }

    /// Each holder in a flavor that enforces capacity counts each pod once at most, and is known if
    /// a pod of it has no room.
    std::string check_room() const {
        std::set<WorkloadIndex> without;
        for (std::size_t i = 0; i < data_.workloads.size(); ++i) {
            const WorkloadRecord& record = data_.workloads[i];
            if (record.holding == nullptr || record.holding->placement == nullptr) {
                continue;
            }
            for (const HeldNodes& nodes : record.holding->placement->nodes) {
                std::int64_t pods = 0;
                for (const DomainPods& each : nodes.expected) {
                    pods += each.count;
                }
                for (const DomainPods& each : nodes.running) {
                    pods += each.count;
                }
                if (!nodes.expected.empty() && pods > nodes.count) {
                    return "a holder keeps room for more pods than it has";
                }
                if (nodes.without_room() > 0) {
                    without.insert(make_index<WorkloadIndex>(i));
                }
            }
        }
        return without == *data_.holders_without_room ? "" : "a holder without room is not known";
    }

    std::string check_idle() const {
        return for_each_topology([this](FlavorIndex flavor, const FlavorTopology& of) {
            LeafCapacity expected(of.leaves());
            std::set<std::uint32_t> present;
            for (std::size_t i = 0; i < data_.hosts.size(); ++i) {
                for (const HostPlace& place : data_.hosts[i].places) {
                    const auto leaf = of.leaf_at(place.path);
                    if (place.flavor == flavor && place.path.size() == of.levels().size()) {
                        if (!leaf || !of.is_present(*leaf) || place.leaf != *leaf) {
                            return false;
                        }
                        const HostRecord& host = data_.hosts[i];
                        const bool is_other =
                            of.enforces_capacity() && !host.quota_capacity.empty();
                        expected.add(*leaf, is_other ? host.quota_capacity : host.capacity);
                        present.insert(*leaf);
                    }
                }
            }
            return present.size() == of.present() && are_equal(expected, of.idle());
        });
    }

    std::string check_free() const {
        Topologies expected = data_.topologies;
        for (const auto& [flavor, levels] : *data_.flavor_levels) {
            if (expected.find(flavor) != nullptr) {
                expected.write(flavor).forget_usage();
            }
        }
        for (const WorkloadIndex holder : *data_.placed_holders) {
            for (const LeafDemand& demand :
                 data_.workloads[holder.at()].holding->placement->leaves) {
                take(expected, demand, 1);
            }
        }
        return for_each_topology([&](FlavorIndex flavor, const FlavorTopology& of) {
            return are_equal(expected.find(flavor)->free(), of.free());
        });
    }

    bool are_equal(const LeafCapacity& a, const LeafCapacity& b) const {
        for (std::size_t leaf = 0; leaf < a.leaves(); ++leaf) {
            for (std::size_t i = 0; i < data_.resources.size(); ++i) {
                const auto resource = make_index<ResourceIndex>(i);
                if (a.free(leaf, resource) != b.free(leaf, resource)) {
                    return false;
                }
            }
        }
        return a.leaves() == b.leaves();
    }

    const State& state_;
    const StateData& data_;
};

}  // namespace sluice::engine
