#pragma once

#include "api/schema/scheme.hpp"
#include "json/value.hpp"

namespace sluice::api {

/// The CustomResourceDefinition of a kind of kueue.x-k8s.io: both versions with their schemas,
/// names, columns and conversion. The CA of the conversion webhook is left to the controller.
json::Value make_crd(const KindInfo& kind);

}  // namespace sluice::api
