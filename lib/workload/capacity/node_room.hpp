// A node with what pods leave of it.
#pragma once

#include "api/core/core.hpp"
#include "engine/types/amount.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace sluice::workload {

/// Amounts by resource, in the scheduler's integers.
using Amounts = std::map<std::string, engine::Amount>;

/// Returns the amount of a resource; 0 without one.
engine::Amount amount_of(const Amounts& amounts, const std::string& resource);
/// Adds `times` the amounts.
void add_amounts(Amounts& to, const Amounts& amounts, std::int64_t times = 1);
/// Returns the requests or the allocatable resources as amounts. Negative ones become zero.
Amounts to_amounts(const api::ResourceList& list);

/// A node of the cluster, or one that an autoscaler may add.
struct NodeRoom {
    const api::Node* node = nullptr;  ///< outlives this object
    bool exists = true;
    std::string refusal;  ///< why no pod may start there: "NotReady", "cordoned"; or empty
    Amounts allocatable;
    Amounts daemons;  ///< requests of pods of DaemonSets, which each such node has
    Amounts foreign;  ///< requests of pods outside quota, with those of DaemonSets
    Amounts ours;     ///< requests of pods of workloads that hold quota

    /// Returns what new pods may take of a resource; less than 0 if too much is taken.
    engine::Amount free(const std::string& resource) const;
    /// Returns the allocatable amount less that of pods outside quota; at least 0.
    engine::Amount given(const std::string& resource) const;
    /// Returns true if pods of DaemonSets alone take of the resource, and there is some.
    bool is_whole(const std::string& resource) const;
    /// Returns how many such pods fit. A request of 0 fits everywhere.
    std::int64_t fitting(const Amounts& request) const;
    /// Returns how many would fit if no pod in quota ran.
    std::int64_t fitting_if_empty(const Amounts& request) const;
};

/// Makes a node without pods. *Lifetime*: the node outlives the result.
NodeRoom make_node_room(const api::Node& node);

}  // namespace sluice::workload
