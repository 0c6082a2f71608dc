// Faults for which the API server cannot decode an object into its Go type.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// The source of the value to decode: JSON, or the maps that result from a strategic merge patch.
/// Go words the faults of the two differently.
enum class DecodedForm : std::uint8_t { Json, Maps };

/// Returns why the API server cannot decode an object into its Go type, in the words of Go's
/// decoder: a value of the wrong type, a malformed quantity, time or base64 text. Returns nullopt
/// if the object can be decoded. Only the metadata of a custom resource are decoded in this way.
/// The API server answers 400 with the prefix `KIND in version "VERSION" cannot be handled as a
/// KIND: `, and 422 for the result of a patch.
std::optional<std::string> find_decoding_fault(
    const Schema& schema, const json::Value& object, DecodedForm form = DecodedForm::Json
);

}  // namespace sluice::apiserver
