// Validates the versions of a CustomResourceDefinition, except for their schemas.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Checks the versions of a CustomResourceDefinition: names, deprecation warnings, printer columns,
/// selectable fields and the paths of `scale`. Does not check their schemas. As in the API server,
/// a fault in a part that all versions share is reported for `spec`, any other fault for its
/// version.
void check_version_contents(Causes& causes, const json::Array& versions);

}  // namespace sluice::apiserver
