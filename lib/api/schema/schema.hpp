// Makes the structural schemas of the API's kinds from the tables of fields.
#pragma once

#include "api/schema/scheme.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// Returns the structural schema (openAPIV3Schema) of a kind in `v1beta1` or `v1beta2`, made from
/// the tables of fields. Validation does not need `descriptions`.
json::Value make_schema(const KindInfo& kind, std::string_view version, bool descriptions);

/// Returns the schema of a kind for validation and defaulting; it is made only once. Returns
/// nullptr if the kind or the version has no schema.
const json::Value* find_schema(std::string_view kind, std::string_view version);

}  // namespace sluice::api
