// The discovery documents of the visibility API: its group, versions and resources.
#pragma once

#include "json/value.hpp"

#include <array>
#include <string>
#include <string_view>

/// The documents in which an aggregated API server describes its API.
namespace sluice::controller {

/// The versions of the visibility API, the preferred version first.
inline constexpr std::array<std::string_view, 2> kVisibilityVersions = {"v1beta2", "v1beta1"};

/// Returns the APIGroupList that is served at /apis: visibility and insight.
json::Value make_group_list();
/// Returns the APIGroup that is served at /apis/visibility.kueue.x-k8s.io.
json::Value make_group();
/// Returns the APIResourceList that is served at /apis/visibility.kueue.x-k8s.io/<version>.
json::Value make_resource_list(std::string_view version);
/// Returns the APIGroupDiscoveryList (apidiscovery.k8s.io/v2): all of the above in one document,
/// for clients that ask for it at /apis.
json::Value make_aggregated_discovery();

}  // namespace sluice::controller
