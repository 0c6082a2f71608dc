// Rules that the schema of a CustomResourceDefinition must obey.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Returns the API server's faults of a CRD's schema that is not structural or that uses a
/// forbidden keyword. Empty if the schema may be compiled. `path` is the path of the schema:
/// spec.validation.openAPIV3Schema if all versions share the schema, else
/// spec.versions[0].schema.openAPIV3Schema and so on. Does not check CEL rules.
std::vector<Cause> check_structural(const json::Value& schema, const std::string& path);

}  // namespace sluice::apiserver
