// Brings the object of a request into the form of its kind: types, unknown fields, defaults.
#pragma once

#include "apiserver/types/duplicate_members.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Brings the object of a request into the form of its kind.
namespace sluice::apiserver {

/// The treatment of unknown fields that a request asks for (fieldValidation).
enum class FieldValidation : std::uint8_t { Ignore, Warn, Strict };
/// Parses fieldValidation; returns Warn for any other text.
FieldValidation to_field_validation(std::string_view text);

/// The source of an object; the words of refusals depend on it.
enum class Origin : std::uint8_t { Body, Patch, StrategicPatch, Apply, Webhook };

/// How to bring an object into the form of its kind.
struct Conforming {
    Origin origin = Origin::Body;
    FieldValidation validation = FieldValidation::Warn;
    Duplicates duplicates{};  ///< duplicate fields of the body
    /// Prints the result of a patch for a refusal.
    std::function<std::string(const json::Value& object)> show{};
};

/// Refuses values of wrong types, drops unknown fields and fills in defaults; returns warnings for
/// the client. Errors: BadRequest (Invalid for a patch) for wrong types and, with Strict, for
/// unknown fields and duplicates.
Result<std::vector<std::string>> conform(
    const ResourceType& type, json::Value& object, const Conforming& how
);

}  // namespace sluice::apiserver
