#pragma once

#include "apiserver/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The API server's refusals, each with its metav1.Status in Error::status.
namespace sluice::apiserver {

/// metav1.StatusCause: what is wrong with one field.
struct Cause {
    std::string reason;   ///< example: FieldValueRequired
    std::string message;  ///< example: Required value
    std::string field;

    friend bool operator==(const Cause&, const Cause&) = default;
};

Error not_found(const ResourceType& type, std::string_view name);
Error already_exists(const ResourceType& type, std::string_view name);
/// The object changed since it was read.
Error conflict(const ResourceType& type, std::string_view name);
/// The same with other words after the name.
Error conflict(const ResourceType& type, std::string_view name, std::string_view why);
/// Another manager owns fields that are applied.
Error apply_conflict(const std::vector<Cause>& causes);
Error invalid(const ResourceType& type, std::string_view name, const std::vector<Cause>& causes);
Error forbidden(const ResourceType& type, std::string_view name, std::string_view why);
Error bad_request(std::string message);
Error method_not_allowed();
/// What was asked for is no path of the API.
Error unknown_path();
Error unsupported_media_type(std::string message);
Error expired(std::string message);
Error internal(std::string message);

/// A Status of any kind. `details`: null where there are none.
Error make_failure(int code, std::string_view reason, std::string message, json::Value details);
/// The HTTP status of a refusal.
int http_status(const Error& error);
/// metav1.Status of a success, as a deletion answers.
json::Value make_success(json::Value details);

}  // namespace sluice::apiserver
