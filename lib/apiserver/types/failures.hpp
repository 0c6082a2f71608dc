// The API server's refusals, as errors that carry a metav1.Status.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Errors of the API server. Each has its metav1.Status in Error::status.
namespace sluice::apiserver {

Error not_found(const ResourceType& type, std::string_view name);
Error already_exists(const ResourceType& type, std::string_view name);
/// Every name that was generated from generateName is taken. `name`: the last of them.
Error no_free_name(const ResourceType& type, std::string_view name);
/// The object has changed since the client read it.
Error conflict(const ResourceType& type, std::string_view name);
/// A conflict with `why` as the text after the name.
Error conflict(const ResourceType& type, std::string_view name, std::string_view why);
Error invalid(const ResourceType& type, std::string_view name, const std::vector<Cause>& causes);
/// Admission refuses the object. `why`: the end of the message.
Error forbidden(
    const ResourceType& type,
    std::string_view name,
    std::string_view why,
    const std::vector<Cause>& causes = {}
);
/// The result of a patch cannot be decoded. `object`: the result, printed.
Error invalid_patch(std::string_view object, std::string_view why);
/// A parameter of a request is refused. `options`: the name of its type, such as CreateOptions.
Error invalid_options(std::string_view options, const std::vector<Cause>& causes);
Error bad_request(std::string message);
Error method_not_allowed();
/// The request's path does not belong to the API.
Error unknown_path();
Error unsupported_media_type(std::string message);
/// The requested resourceVersion or continue token is too old (410).
Error expired(std::string message);
Error internal(std::string message);
/// The request took longer than the API server allows.
Error timed_out();

/// Returns an error with any Status. `details`: null if the Status has no details.
Error make_failure(int code, std::string_view reason, std::string message, json::Value details);
/// Returns the HTTP status code of a refusal.
int http_status(const Error& error);
/// Returns the metav1.Status of a success, as the response to a deletion.
json::Value make_success(json::Value details);

}  // namespace sluice::apiserver
