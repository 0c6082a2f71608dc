// Defaults of the built-in kinds, and the changes that built-in admission makes to pods and nodes.
#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Fills in the defaults that the API server sets when it reads an object of a built-in kind, and
/// brings the members into the form in which Go prints them. Requires: managedFields have not been
/// updated yet. Leaves objects of unknown kinds unchanged.
void apply_builtin_defaults(
    std::string_view group, std::string_view version, std::string_view kind, json::Value& object
);

/// Makes the changes of built-in admission to a new pod: tolerations of not-ready and unreachable
/// nodes, the service account `default` if the pod names none, and a volume with the token of the
/// service account. The name of the volume ends in `volume_suffix`. The pod gets no volume if the
/// pod or, failing that, its service account (`automounts_token`) opts out.
void admit_pod(json::Value& pod, std::string_view volume_suffix, bool automounts_token = true);

/// Makes the changes of built-in admission to an updated pod: it cannot lose the tolerations above.
void admit_pod_update(json::Value& pod);

/// Adds the taint of a new node, which stays until the node is found to be ready.
void admit_node(json::Value& node);

}  // namespace sluice::apiserver
