#pragma once

#include "apiserver/failures.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

/// What a structural schema (openAPIV3Schema of a CustomResourceDefinition) does to an object, as
/// the API server does it.
namespace sluice::apiserver {

/// Fills in defaults; nulls where a default is and none is allowed are replaced too.
void apply_defaults(const json::Value& schema, json::Value& object);

/// Drops fields that the schema does not know, metadata apart; returns their paths, as in
/// `spec.x[0].y`.
std::vector<std::string> prune(const json::Value& schema, json::Value& object);

/// What breaks the schema: types, bounds, enums, patterns, required fields, duplicates in sets and
/// keyed lists; with the words of the API server. Rules in CEL are not among them.
std::vector<Cause> validate(const json::Value& schema, const json::Value& object);

/// A value as refusals show it: texts in quotes, objects as JSON.
std::string shown(const json::Value& value);

}  // namespace sluice::apiserver
