#pragma once

#include "json/value.hpp"

namespace sluice::apiserver {

/// Events have two versions with other names of fields; they are stored as core/v1.
json::Value to_core_event(json::Value event);
/// As events.k8s.io/v1.
json::Value to_new_event(const json::Value& core);

}  // namespace sluice::apiserver
