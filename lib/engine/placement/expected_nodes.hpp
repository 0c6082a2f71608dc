// Finds room for pods of holders that have no node yet.
#pragma once

#include "engine/state/state.hpp"

namespace sluice::engine {

/// Keeps room on nodes for pods of holders that have neither a node nor room, in flavors that
/// enforce capacity; those that reserved quota first come first. Room on nodes that are gone or
/// too full is given back before. Pods for which no node has room stay without. Requires: the
/// topologies are fresh. *Cost*: nothing if neither nodes nor holders have changed.
void find_expected_nodes(State& state);

}  // namespace sluice::engine
