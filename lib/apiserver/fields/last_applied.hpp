// The last-applied annotation of client-side apply, and how server-side apply takes it over.
#pragma once

#include "apiserver/fields/field_set.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// The field manager whose server-side apply takes over the fields of client-side apply.
inline constexpr std::string_view kKubectl = "kubectl";

/// Returns the fields of the configuration in the annotation of client-side apply that still have
/// their applied values. Empty if the annotation is missing or of another version.
FieldSet fields_last_applied(
    const json::Value& live, const Schema& schema, std::string_view api_version
);

/// Writes the configuration into the annotation of client-side apply, byte for byte as kubectl
/// does. Removes the annotation if the annotations would be too large together. Requires: an
/// object.
void note_last_applied(const json::Value& config, json::Value& object);

/// Calls note_last_applied() if the object has the annotation of client-side apply and it is not
/// empty.
void keep_last_applied(const json::Value& config, json::Value& object);

}  // namespace sluice::apiserver
