#pragma once

#include "json/value.hpp"

namespace sluice::sim {

/// Whether a map of labels, as Services and ReplicationControllers have it, selects the object; an
/// empty one selects nothing.
bool has_labels(const json::Value& object, const json::Value* wanted);
/// Whether a label selector selects the object; one that is absent or empty selects nothing.
bool is_selected(const json::Value& object, const json::Value* selector);
/// Whether the pod is one that the owner's selector is about. Owners: Jobs, ReplicaSets,
/// ReplicationControllers, StatefulSets, DaemonSets.
bool is_selected_by(const json::Value& owner, const json::Value& pod);

}  // namespace sluice::sim
