// Errors of fields, in the form of Kubernetes' field.Error.
#pragma once

#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Errors of fields, in the form of Kubernetes' field.Error.
namespace sluice::api {

/// One error of one field.
struct FieldError {
    enum class Class : std::uint8_t {
        Invalid,
        InvalidType,
        Required,
        Forbidden,
        Duplicate,
        NotFound,
        NotSupported,
        TooLong,
        TooMany,
    };
    /// Order in which a message prints the members of an object.
    enum class Members : std::uint8_t { AsTheyAre, Sorted };

    Class error_class = Class::Invalid;
    std::string field;                 ///< example: spec.resourceGroups[0].flavors[1].name
    std::optional<json::Value> value;  ///< the value of the field; nullopt if the text omits it
    std::string detail;

    /// `detail` may be empty.
    static FieldError invalid(std::string field, json::Value value, std::string_view detail);
    static FieldError invalid_type(std::string field, json::Value value, std::string_view detail);
    static FieldError required(std::string field, std::string_view detail = "");
    static FieldError forbidden(std::string field, std::string_view detail);
    static FieldError duplicate(std::string field, json::Value value);
    static FieldError not_found(std::string field, json::Value value);
    /// `supported`: the values that the field may have.
    static FieldError not_supported(
        std::string field, json::Value value, const std::vector<std::string>& supported
    );
    static FieldError too_long(std::string field, std::size_t bytes_max);
    static FieldError too_many(std::string field, std::size_t count, std::size_t count_max);
    /// Returns the error for a change of a field that must not change.
    static FieldError immutable(std::string field, json::Value value);

    /// Returns the reason of a metav1.StatusCause. Example: FieldValueRequired
    std::string_view reason() const;
    /// Returns "CLASS: VALUE: DETAIL". Example: Invalid value: "a b": must be a name
    /// `members`: the order in which the members of an object in the value are printed.
    std::string message(Members members = Members::AsTheyAre) const;
    /// Returns the field and the message.
    std::string text() const { return field + ": " + message(); }

    friend bool operator==(const FieldError&, const FieldError&) = default;
};

using FieldErrors = std::vector<FieldError>;

/// Appends the errors of one rule.
void append(FieldErrors& to, FieldErrors more);

/// Joins the texts without duplicates, in brackets if there are several. Empty without texts.
std::string aggregate(const std::vector<std::string>& texts);
/// Joins the texts of the errors like aggregate().
std::string aggregate_text(const FieldErrors& errors);

}  // namespace sluice::api
