#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Fills in the defaults of the schema and drops nulls of fields that have one and are not
/// nullable, as the API server does when it reads an object of a custom resource.
void apply_defaults(const Schema& schema, json::Value& object);

/// Fills in the defaults alone, as the API server does with what a server-side apply made: nulls of
/// other fields stay and are refused.
void fill_defaults(const Schema& schema, json::Value& object);

/// Removes the fields that the schema does not know and returns their paths, sorted, as in
/// spec.podSets[0].counts; the API server prints them as `unknown field "PATH"`. apiVersion, kind
/// and metadata of a resource stay; unknown fields of metadata are dropped and returned.
std::vector<std::string> prune(const Schema& schema, json::Value& object);

/// The same for a part of a resource, whose apiVersion, kind and metadata are fields like others.
std::vector<std::string> prune_part(const Schema& schema, json::Value& part);

/// The same for an object that stays as it is.
std::vector<std::string> find_unknown_fields(const Schema& schema, const json::Value& object);

/// What the schema refuses of an object of a custom resource: types, required fields, enums,
/// bounds, patterns, formats, list sets and maps. CEL rules are not run. With an old object, what
/// is unchanged is not refused. Faults come in the API server's order.
std::vector<Cause> validate(
    const Schema& schema, const json::Value& object, const json::Value* old_object = nullptr
);

}  // namespace sluice::apiserver
