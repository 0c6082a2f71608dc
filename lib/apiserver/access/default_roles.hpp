// The default roles and bindings of a new cluster, as JSON.
#pragma once

#include <string_view>

namespace sluice::apiserver {

/// Returns the ClusterRoles and ClusterRoleBindings of a new cluster: a JSON list of objects
/// without `apiVersion`.
std::string_view default_roles();

}  // namespace sluice::apiserver
