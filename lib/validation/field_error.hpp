#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a validating webhook says of a field, in the form of Kubernetes' field.Error.
namespace sluice::validation {

enum class ErrorClass : std::uint8_t {
    Invalid,
    Required,
    Forbidden,
    Duplicate,
    NotFound,
    NotSupported,
    TooLong,
    TooMany,
};

/// One fault of one field.
struct FieldError {
    ErrorClass error_class = ErrorClass::Invalid;
    std::string field;                 ///< example: spec.resourceGroups[0].flavors[1].name
    std::optional<json::Value> value;  ///< what is there; none: the error does not show it
    std::string detail;

    /// "CLASS: VALUE: DETAIL". Example: Invalid value: "a b": must be a name
    std::string message() const;
    /// The field and the message.
    std::string text() const { return field + ": " + message(); }

    friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

FieldError invalid(std::string field, json::Value value, std::string_view detail);
FieldError duplicate(std::string field, json::Value value);
FieldError forbidden(std::string field, std::string_view detail);
FieldError required(std::string field, std::string_view detail);
FieldError not_found(std::string field, json::Value value);
/// `supported`: what the field may be.
FieldError not_supported(
    std::string field, json::Value value, const std::vector<std::string>& supported
);
FieldError too_long(std::string field, std::size_t bytes_max);
FieldError too_many(std::string field, std::size_t count, std::size_t count_max);
/// A field that must not change.
FieldError immutable(std::string field, json::Value value);

/// Appends the errors of one rule.
void append(FieldErrors& to, FieldErrors more);

/// The text of all, each once, in brackets where there are several; "" when there is none.
std::string aggregate_text(const FieldErrors& errors);

}  // namespace sluice::validation
