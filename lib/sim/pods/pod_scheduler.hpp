#pragma once

#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::sim {

/// Where one pod goes, or why nowhere.
struct Placement {
    apiserver::Snapshot pod;
    std::string node;     ///< "": none has room
    std::string message;  ///< for people, where there is no node
};

/// What a scheduler of pods decides now: for each pod that waits for a node, in the order of their
/// names, the first node by name that it fits on beside those that are there or were placed before.
/// Pods of other schedulers are left to these.
std::vector<Placement> place_pods(const apiserver::Store& store);

}  // namespace sluice::sim
