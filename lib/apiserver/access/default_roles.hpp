#pragma once

#include <string_view>

namespace sluice::apiserver {

/// The ClusterRoles and ClusterRoleBindings that a cluster has from its beginning: a JSON list of
/// objects without `apiVersion`.
std::string_view default_roles();

}  // namespace sluice::apiserver
