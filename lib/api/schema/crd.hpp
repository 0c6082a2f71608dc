// Makes the CustomResourceDefinitions of the kueue.x-k8s.io kinds.
#pragma once

#include "api/schema/scheme.hpp"
#include "json/value.hpp"

namespace sluice::api {

/// Returns the CustomResourceDefinition of a kind of kueue.x-k8s.io: both versions with their
/// schemas, names, columns and conversion. The controller fills in the CA of the conversion
/// webhook.
json::Value make_crd(const KindInfo& kind);

}  // namespace sluice::api
