#pragma once

#include "apiserver/types/duplicate_members.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Brings what a request made into the form of its kind.
namespace sluice::apiserver {

/// What the request wants done about fields that its kind has not (fieldValidation).
enum class FieldValidation : std::uint8_t { Ignore, Warn, Strict };
FieldValidation to_field_validation(std::string_view text);

/// Where an object comes from; refusals differ.
enum class Origin : std::uint8_t { Body, Patch, StrategicPatch, Apply, Webhook };

struct Conforming {
    Origin origin = Origin::Body;
    FieldValidation validation = FieldValidation::Warn;
    Duplicates duplicates{};  ///< in the body
    /// How a refusal shows what a patch made.
    std::function<std::string(const json::Value& object)> show{};
};

/// Refuses values of wrong types, drops unknown fields, fills in defaults; returns what the client
/// is to be warned of. Errors: BadRequest, of a patch Invalid, for wrong types and, with Strict,
/// for unknown fields and duplicates.
Result<std::vector<std::string>> conform(
    const ResourceType& type, json::Value& object, const Conforming& how
);

}  // namespace sluice::apiserver
