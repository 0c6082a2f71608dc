#pragma once

#include "json/value.hpp"

#include <array>
#include <string>
#include <string_view>

/// What an aggregated API server says of its API: the group, its versions and resources.
namespace sluice::controller {

/// The preferred one first.
inline constexpr std::array<std::string_view, 2> kVisibilityVersions = {"v1beta2", "v1beta1"};

/// APIGroupList: what is at /apis.
json::Value make_group_list();
/// APIGroup: what is at /apis/visibility.kueue.x-k8s.io.
json::Value make_group();
/// APIResourceList: what is at /apis/visibility.kueue.x-k8s.io/<version>.
json::Value make_resource_list(std::string_view version);
/// APIGroupDiscoveryList (apidiscovery.k8s.io/v2): all of it at once, for clients that ask for it
/// at /apis.
json::Value make_aggregated_discovery();

}  // namespace sluice::controller
