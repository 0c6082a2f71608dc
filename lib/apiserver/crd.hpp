#pragma once

#include "apiserver/core.hpp"

#include <string>
#include <string_view>

/// What CustomResourceDefinitions make of the server.
namespace sluice::apiserver {

/// The finalizer that holds a CRD until its objects are gone.
inline constexpr std::string_view kResourceCleanup =
    "customresourcecleanup.apiextensions.k8s.io";

/// A CRD was written or removed: its resource is served, changed or ends.
void crd_written(Core& core, const StoredPtr& object, bool is_deleted);

/// Judges the names of a CRD, says so in its status, and serves it. `name` is PLURAL.GROUP.
void establish_crd(Core& core, const std::string& name);

/// The resource's objects are gone: its CRD may go.
void finish_crd_deletion(Core& core, const std::string& name);

}  // namespace sluice::apiserver
