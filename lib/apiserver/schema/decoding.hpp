#pragma once

#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// What is decoded: JSON, or the maps that a strategic merge patch made, of which faults are told
/// in other words.
enum class DecodedForm : std::uint8_t { Json, Maps };

/// Why the API server could not read an object into its Go type, in the words of Go's decoder: a
/// value of the wrong type, a malformed quantity, time or base64. None: it can. Of a custom
/// resource only metadata is read so. The API server answers 400 with `KIND in version "VERSION"
/// cannot be handled as a KIND: ` before it, and for what a patch makes 422.
std::optional<std::string> find_decoding_fault(
    const Schema& schema, const json::Value& object, DecodedForm form = DecodedForm::Json
);

}  // namespace sluice::apiserver
