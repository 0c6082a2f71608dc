// The nodes of a flavor as leaves of its topology, with what is free there.
#pragma once

#include "engine/topology/domain_tree.hpp"
#include "engine/topology/leaf_capacity.hpp"
#include "engine/topology/leaf_demand.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::engine {

/// A leaf of another flavor.
struct LeafOfFlavor {
    FlavorIndex flavor;
    std::uint32_t leaf = 0;
};

/// The topology of a flavor and its nodes. A node that fails stays in the tree as a leaf without
/// room, so that an event of one node costs no new tree. *Cost* of a copy: a reference for 256
/// leaves of a resource.
class FlavorTopology {
  public:
    FlavorTopology() = default;
    /// A topology without nodes. `levels`: node labels from the coarsest to the finest; at least
    /// one.
    FlavorTopology(std::string name, std::vector<std::string> levels);

    /// Returns the name of the Topology object; empty if it only enforces capacity.
    const std::string& name() const { return name_; }
    const std::vector<std::string>& levels() const { return levels_; }
    /// Returns the position of the level; nullopt if the topology lacks it.
    std::optional<std::size_t> find_level(std::string_view label) const;
    /// Returns true if its flavor enforces capacity and has no Topology object.
    bool enforces_capacity() const { return name_.empty(); }
    /// Returns true if each leaf is a host.
    bool is_by_host() const { return is_by_host_; }
    const DomainTree& tree() const { return shape_->tree; }
    std::size_t leaves() const { return tree().leaves().size(); }
    DomainIndex domain_of(std::uint32_t leaf) const {
        return DomainIndex{tree().leaves().first + leaf};
    }
    /// Returns the leaf of that domain; nullopt without one.
    std::optional<std::uint32_t> find_leaf(std::string_view id) const;
    /// Returns the id by which assignments name the leaf: the values of all levels joined by
    /// commas, or that of the host alone.
    std::string id_of(std::uint32_t leaf) const;
    /// Returns the leaf that a node with these level values is in; nullopt if the tree lacks it.
    std::optional<std::uint32_t> leaf_at(const DomainPath& path) const;
    /// Returns the nodes of a leaf, by name. An empty leaf has no room.
    const std::vector<HostIndex>& nodes_of(std::uint32_t leaf) const { return nodes_[leaf]; }
    bool is_present(std::uint32_t leaf) const { return !nodes_[leaf].empty(); }
    /// Returns the number of leaves with nodes.
    std::size_t present() const { return present_; }

    /// Returns the resources of the nodes, less those of pods outside quota.
    const LeafCapacity& idle() const { return idle_; }
    /// Returns `idle()` less the usage of holders.
    const LeafCapacity& free() const { return free_; }
    /// Returns the leaves of other flavors that are the same host and see what its pods take.
    std::span<const LeafOfFlavor> twins_of(std::uint32_t leaf) const;

    bool has_twins() const { return twins_ != nullptr; }

    /// Makes the tree of the leaves with these paths, without nodes, and forgets all usage.
    void grow(std::vector<DomainPath> paths);
    void add_node(
        std::uint32_t leaf, std::vector<HostIndex> nodes_of_leaf, std::span<const Request> capacity
    );
    void remove_node(std::uint32_t leaf, HostIndex node, std::span<const Request> capacity);
    /// Takes what a holder uses, or gives it back (`times` -1).
    void take(std::uint32_t leaf, std::span<const Request> pod, std::int64_t times);
    /// Forgets what holders use.
    void forget_usage() { free_ = idle_; }
    void set_twins(std::vector<std::vector<LeafOfFlavor>> twins);

  private:
    /// The domains, which do not change with nodes' readiness; shared by copies.
    struct Shape {
        DomainTree tree{1, {}};
        std::vector<std::uint32_t> by_host;  // leaves sorted by the host's name
    };

    std::string name_;
    std::vector<std::string> levels_;
    bool is_by_host_ = false;
    std::shared_ptr<const Shape> shape_ = std::make_shared<const Shape>();
    CowVector<std::vector<HostIndex>, 256> nodes_;  // by leaf
    std::size_t present_ = 0;
    LeafCapacity idle_{0};
    LeafCapacity free_{0};
    std::shared_ptr<const std::vector<std::vector<LeafOfFlavor>>> twins_;  // null without any
};

/// The topologies of all flavors that have one.
class Topologies {
  public:
    /// Returns nullptr if the flavor has no topology, or its Topology object does not exist.
    const FlavorTopology* find(FlavorIndex flavor) const {
        return flavor.at() < all_.size() && all_[flavor.at()] != nullptr ? &*all_[flavor.at()]
                                                                         : nullptr;
    }
    /// Requires: find() is not nullptr.
    FlavorTopology& write(FlavorIndex flavor) { return all_.write(flavor.at()).write(); }
    void set(FlavorIndex flavor, FlavorTopology topology);
    void remove(FlavorIndex flavor);
    /// Returns one more than the largest index of a flavor that had a topology.
    std::size_t size() const { return all_.size(); }

  private:
    CowVector<CowPtr<FlavorTopology>, 16> all_;  // by FlavorIndex
};

}  // namespace sluice::engine
