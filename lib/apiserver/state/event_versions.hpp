// Converts Events between core/v1 and events.k8s.io/v1.
#pragma once

#include "json/value.hpp"

namespace sluice::apiserver {

/// Converts an Event of either version to core/v1, the version in which Events are stored.
json::Value to_core_event(json::Value event);
/// Converts a core/v1 Event to events.k8s.io/v1.
json::Value to_new_event(const json::Value& core);

}  // namespace sluice::apiserver
