#pragma once

#include "apiserver/fields/field_set.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The manager whose applies take over from client-side apply.
inline constexpr std::string_view kKubectl = "kubectl";

/// The fields of the configuration that client-side apply noted in the object's annotation and that
/// are still as it applied them; empty when there is none of that version.
FieldSet fields_last_applied(
    const json::Value& live, const Schema& schema, std::string_view api_version
);

/// Writes the configuration into client-side apply's annotation of the object, to the byte as
/// kubectl does; removes it when all annotations would be too large. Requires: an object.
void note_last_applied(const json::Value& config, json::Value& object);

/// Where the object carries client-side apply's annotation, writes the configuration into it, or
/// removes it when all annotations would be too large.
void keep_last_applied(const json::Value& config, json::Value& object);

}  // namespace sluice::apiserver
