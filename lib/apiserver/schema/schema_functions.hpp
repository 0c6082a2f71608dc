// Applies the schema of a custom resource to an object: defaults, pruning, validation.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Fills in the defaults of the schema, also in place of nulls of fields that are not nullable, and
/// drops the other nulls of such fields. The API server does this when it reads an object of a
/// custom resource.
void apply_defaults(const Schema& schema, json::Value& object);

/// Fills in the defaults only, as the API server does with the result of a server-side apply: nulls
/// of fields without a default stay and are refused later.
void fill_defaults(const Schema& schema, json::Value& object);

/// Removes the fields that the schema does not know and returns their paths, sorted, as in
/// spec.podSets[0].counts; the API server prints them as `unknown field "PATH"`. Keeps apiVersion,
/// kind and metadata of the resource; drops and returns unknown fields of metadata.
std::vector<std::string> prune(const Schema& schema, json::Value& object);

/// Prunes a part of a resource as prune() does. apiVersion, kind and metadata of the part are
/// fields like any other.
std::vector<std::string> prune_part(const Schema& schema, json::Value& part);

/// Returns the paths of the unknown fields as prune() does, and leaves the object unchanged.
std::vector<std::string> find_unknown_fields(const Schema& schema, const json::Value& object);

/// Returns the faults of an object of a custom resource by its schema: types, required fields,
/// enums, bounds, patterns, formats, sets and keyed lists. Does not run CEL rules. Does not refuse
/// values that are unchanged from `old_object`. Faults come in the API server's order.
std::vector<Cause> validate(
    const Schema& schema, const json::Value& object, const json::Value* old_object = nullptr
);

}  // namespace sluice::apiserver
