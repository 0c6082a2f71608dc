// Assigns pods to nodes.
#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::sim {

/// The node for one pod, or why no node fits.
struct Placement {
    apiserver::Snapshot pod;
    std::string node;     ///< empty: no node has room
    std::string message;  ///< why no node fits, for people
};

/// Returns the present decisions of the scheduler. Each unbound pod, in the order of names, gets
/// the first node by name that has room for it next to the pods that are bound there or were placed
/// before. Pods of other schedulers are left out.
std::vector<Placement> place_pods(const apiserver::Store& store);

}  // namespace sluice::sim
