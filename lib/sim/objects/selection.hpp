// Matches objects with selectors.
#pragma once

#include "json/value.hpp"

namespace sluice::sim {

/// Returns true if a map of labels, as Services and ReplicationControllers have it, selects the
/// object. An empty map selects nothing.
bool has_labels(const json::Value& object, const json::Value* wanted);
/// Returns true if a label selector selects the object. An absent or empty selector selects
/// nothing.
bool is_selected(const json::Value& object, const json::Value* selector);
/// Returns true if the selector of the owner selects the pod. Owners: Jobs, ReplicaSets,
/// ReplicationControllers, StatefulSets, DaemonSets.
bool is_selected_by(const json::Value& owner, const json::Value& pod);

}  // namespace sluice::sim
