// The documents that describe insight.sluice.dev: its group, its resources and its OpenAPI.
#pragma once

#include "json/value.hpp"

#include <string>

namespace sluice::controller {

/// Returns the group without kind and apiVersion, as an APIGroupList lists it.
json::Value make_insight_group_body();
/// Returns the APIGroup that is served at /apis/insight.sluice.dev.
json::Value make_insight_group();
/// Returns the APIResourceList that is served at /apis/insight.sluice.dev/v1alpha1.
json::Value make_insight_resources();
/// Returns the group as an APIGroupDiscoveryList (apidiscovery.k8s.io/v2) lists it.
json::Value make_insight_discovery();
/// Returns the OpenAPI v3 document of the version.
const std::string& insight_openapi();

}  // namespace sluice::controller
