#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/types/request.hpp"
#include "json/value.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What users may do by the Roles and bindings that there are (rbac.authorization.k8s.io).
namespace sluice::apiserver {

/// Who asks.
struct Subject {
    std::string user;
    std::vector<std::string> groups;
    std::string uid{};
    /// What else is known, by its name.
    std::map<std::string, std::vector<std::string>> extra{};
};

/// Who sends the request, with the groups that all such users are in.
Subject subject_of(const Request& request);
/// As admission reviews and SelfSubjectReviews tell it.
json::Value user_info(const Subject& subject);

/// Writes the same into the spec of a CertificateSigningRequest.
void note_requester(json::Value& spec, const Subject& subject);

/// What a user wants to do to objects, or, with a path, to what is no object.
struct AccessQuestion {
    std::string verb;
    std::string group;
    std::string resource;     ///< in the plural
    std::string subresource;  ///< "": none
    std::string name;
    std::string ns;
    std::string path;  ///< "": it is about objects
};

/// Why the user may; nothing: the user may not. The reason of the group system:masters, which may
/// do everything, is "".
std::optional<std::string> find_grant(
    const State& state, const Subject& subject, const AccessQuestion& question
);

/// All rules that say what the user may do in the namespace, in the order of their bindings.
std::vector<json::Value> rules_of(const State& state, const Subject& subject, std::string_view ns);

/// The refusal of a request that its user may not make; nothing: it is allowed.
std::optional<Error> find_access_fault(const State& state, const Request& request);

/// The refusal of a request in the name of the request's user, whom `impersonator` may not
/// impersonate; nothing: it is allowed.
std::optional<Error> find_impersonation_fault(
    const State& state, const Subject& impersonator, const Request& request
);

}  // namespace sluice::apiserver
