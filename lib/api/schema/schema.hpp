#pragma once

#include "api/schema/scheme.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::api {

/// The structural schema (openAPIV3Schema) of a kind in `v1beta1` or `v1beta2`, made from the
/// tables of fields; without `descriptions` it is what validation needs.
json::Value make_schema(const KindInfo& kind, std::string_view version, bool descriptions);

/// The schema of a kind for validation and defaulting, made once; nullptr for a kind or version
/// without.
const json::Value* find_schema(std::string_view kind, std::string_view version);

}  // namespace sluice::api
