#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Fills in what the API server fills in when it reads an object of a built-in kind, and prints
/// members as Go does; before managedFields are brought up to date. Unknown kinds stay as they are.
void apply_builtin_defaults(
    std::string_view group, std::string_view version, std::string_view kind, json::Value& object
);

/// What built-in admission adds to a new pod: tolerations of not-ready and unreachable nodes, the
/// service account `default`, and, in a volume whose name ends in `volume_suffix`, the token of it
/// unless the pod or its service account (`automounts_token`) does without.
void admit_pod(json::Value& pod, std::string_view volume_suffix, bool automounts_token = true);

/// The same in an update of a pod: its tolerations are not lost.
void admit_pod_update(json::Value& pod);

/// The taint of a new node, which stays until something finds the node ready.
void admit_node(json::Value& node);

}  // namespace sluice::apiserver
