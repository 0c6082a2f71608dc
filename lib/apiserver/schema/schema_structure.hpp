#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// What the API server says of a CRD's schema that is not structural, or that uses what a CRD must
/// not use. `path` is that of the schema: spec.validation.openAPIV3Schema where all versions have
/// the same, else spec.versions[0].schema.openAPIV3Schema and so on. CEL rules are not looked at.
/// Empty: it may be compiled.
std::vector<Cause> check_structural(const json::Value& schema, const std::string& path);

}  // namespace sluice::apiserver
