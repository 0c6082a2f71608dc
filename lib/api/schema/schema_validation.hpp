#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// A place in an object that its CRD's schema refuses.
struct FieldViolation {
    std::string field;  ///< as in spec.podSets[0].count
    std::string message;

    friend bool operator==(const FieldViolation&, const FieldViolation&) = default;
};

/// Fills in the schema's defaults of an object of kueue.x-k8s.io and drops nulls, as the API server
/// does before it validates. `version` is `v1beta1` or `v1beta2`, that of the object as it was
/// sent. Errors: Invalid for a kind or version without a schema.
Result<void> apply_defaults(std::string_view kind, std::string_view version, json::Value& object);

/// What the API server would refuse when the object is created: structure, types, enums, bounds,
/// patterns, required fields, duplicates in keyed lists and sets, and the CEL rules that need no
/// old object. Requires: apply_defaults before, since rules read defaulted fields. Unknown fields
/// are no violation (the API server prunes them); `unknown_fields` gets those that
/// find_unknown_fields() would find. Empty also for a kind or version without a schema.
std::vector<FieldViolation> find_schema_violations(
    std::string_view kind,
    std::string_view version,
    const json::Value& object,
    std::vector<std::string>* unknown_fields = nullptr
);

/// The fields that the schema does not know, metadata apart, of which it knows nothing. The API
/// server prunes them, or refuses them where strict field validation is asked for, as kubectl does.
std::vector<std::string> find_unknown_fields(
    std::string_view kind, std::string_view version, const json::Value& object
);

/// The same as find_schema_violations, as one error: "spec.podSets[0].count: must be at least 0,
/// not -1; …".
Result<void> validate_schema(
    std::string_view kind,
    std::string_view version,
    const json::Value& object,
    std::vector<std::string>* unknown_fields = nullptr
);

}  // namespace sluice::api
