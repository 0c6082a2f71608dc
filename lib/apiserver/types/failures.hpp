#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The API server's refusals, each with its metav1.Status in Error::status.
namespace sluice::apiserver {

Error not_found(const ResourceType& type, std::string_view name);
Error already_exists(const ResourceType& type, std::string_view name);
/// None of the names that were made of a generateName is free; `name`: the last of them.
Error no_free_name(const ResourceType& type, std::string_view name);
/// The object changed since it was read.
Error conflict(const ResourceType& type, std::string_view name);
/// The same with other words after the name.
Error conflict(const ResourceType& type, std::string_view name, std::string_view why);
Error invalid(const ResourceType& type, std::string_view name, const std::vector<Cause>& causes);
Error forbidden(
    const ResourceType& type,
    std::string_view name,
    std::string_view why,
    const std::vector<Cause>& causes = {}
);
/// What a patch makes of an object cannot be read. `object`: printed.
Error invalid_patch(std::string_view object, std::string_view why);
/// A parameter of a request is refused. `options`: such as CreateOptions.
Error invalid_options(std::string_view options, const std::vector<Cause>& causes);
Error bad_request(std::string message);
Error method_not_allowed();
/// What was asked for is no path of the API.
Error unknown_path();
Error unsupported_media_type(std::string message);
Error expired(std::string message);
Error internal(std::string message);
/// The request was not done in the time that the API server works at one.
Error timed_out();

/// A Status of any kind. `details`: null where there are none.
Error make_failure(int code, std::string_view reason, std::string message, json::Value details);
/// The HTTP status of a refusal.
int http_status(const Error& error);
/// metav1.Status of a success, as a deletion answers.
json::Value make_success(json::Value details);

}  // namespace sluice::apiserver
