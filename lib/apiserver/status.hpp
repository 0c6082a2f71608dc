#pragma once

#include "apiserver/cause.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The failures of an API server: Errors whose `status` is the metav1.Status that clients get.
namespace sluice::apiserver {

/// A resource or kind with its group; printed as NAME.GROUP, or NAME in the core group.
struct GroupName {
    std::string_view group;
    std::string_view name;
};
std::string to_string(GroupName name);

/// An error of any code. An empty reason is left out; null details too.
Error make_status_error(
    int code, std::string_view reason, std::string message, const json::Value& details = {}
);

Error object_not_found(GroupName resource, std::string_view name);
/// What is answered where no resource is served.
Error resource_not_found();
Error method_not_allowed();
Error bad_request(std::string message);
Error already_exists(GroupName resource, std::string_view name);
Error conflict(GroupName resource, std::string_view name, std::string_view why);
/// A conflict of resourceVersions.
Error stale_object(GroupName resource, std::string_view name);
Error forbidden_request(
    GroupName resource,
    std::string_view name,
    std::string_view why,
    const std::vector<Cause>& causes = {}
);
Error invalid_object(GroupName kind, std::string_view name, const std::vector<Cause>& causes);
/// Invalid options of a request, such as CreateOptions.
Error invalid_options(std::string_view kind, const std::vector<Cause>& causes);
Error expired(std::string message);
Error internal_error(std::string_view why);

/// The HTTP status of an error. Errors without a Status are server faults, but for Invalid ones,
/// which are bad requests.
int http_status_of(const Error& error);
/// The metav1.Status of an error as JSON.
std::string status_text(const Error& error);

}  // namespace sluice::apiserver
