// Authorization of requests by Roles and bindings (rbac.authorization.k8s.io); impersonation.
#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "json/value.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Decides what users may do, by Roles and bindings (rbac.authorization.k8s.io).
namespace sluice::apiserver {

/// The user who makes a request.
struct Subject {
    std::string user;
    std::vector<std::string> groups;
    std::string uid{};
    /// Further attributes of the user, by name.
    std::map<std::string, std::vector<std::string>> extra{};
};

/// Returns the user who sends the request, with the groups that all such users belong to.
Subject subject_of(const Request& request);
/// Returns the userInfo of admission reviews and SelfSubjectReviews.
json::Value user_info(const Subject& subject);

/// Writes the userInfo into the spec of a CertificateSigningRequest.
void note_requester(json::Value& spec, const Subject& subject);

/// A permission to check: a verb on objects or, if `path` is set, on a path without objects.
struct AccessQuestion {
    std::string verb;
    std::string group;
    std::string resource;     ///< plural name
    std::string subresource;  ///< "" for the resource itself
    std::string name;
    std::string ns;
    std::string path;  ///< "" if the question is about objects
};

/// Returns the reason why the user has the permission; nullopt if the user does not have it. The
/// reason is "" for the group system:masters, which may do everything.
std::optional<std::string> find_grant(
    const State& state, const Subject& subject, const AccessQuestion& question
);

/// Returns all rules that apply to the user in the namespace, in the order of their bindings.
std::vector<json::Value> rules_of(const State& state, const Subject& subject, std::string_view ns);

/// Returns the refusal of a request that its user is not allowed to make; nullopt if it is allowed.
std::optional<Error> find_access_fault(const State& state, const Request& request);

/// Returns the refusal of a request if `impersonator` may not impersonate its user; nullopt if it
/// is allowed.
std::optional<Error> find_impersonation_fault(
    const State& state, const Subject& impersonator, const Request& request
);

}  // namespace sluice::apiserver
