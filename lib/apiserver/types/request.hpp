// Requests and responses of the server, and the resource that a request's path names.
#pragma once

#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

class Watch;

/// A request, as the HTTP part of the server passes it on.
struct Request {
    std::string method;
    std::string path;  ///< percent-decoded
    std::multimap<std::string, std::string> query;
    std::string content_type;
    std::string accept;
    std::string user_agent;
    std::string body;
    std::string user = "kubernetes-admin";
    /// True if the user is not the administrator: RBAC then limits what the user may do.
    bool is_restricted = false;
    std::vector<std::string> groups{};
    std::string uid{};  ///< uid of the user
    /// Further attributes of the user, by name.
    std::map<std::string, std::vector<std::string>> extra{};

    /// Returns the first value of the query parameter; "" if it is missing.
    std::string_view parameter(std::string_view name) const;
    /// Returns true if the query parameter is present and neither `false` nor `0`.
    bool is_set(std::string_view name) const;
    /// Returns the manager that owns the written fields: `fieldManager`, else the product in the
    /// User-Agent.
    std::string field_manager() const;
    bool is_dry_run() const { return parameter("dryRun") == "All"; }
};

/// Splits a request's target into path and query parameters, both percent-decoded.
Request make_request(std::string_view method, std::string_view target);

/// A response of the server.
struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::vector<std::string> warnings{};  ///< texts of Warning headers
    std::shared_ptr<Watch> watch{};       ///< if set, the lines of this watch are the body
};

/// Returns the object as a JSON response.
Response make_response(const json::Value& object, int status = 200);
/// Returns the Status of a refusal as a response.
Response make_response(const Error& error);

/// Returns the response with one more warning, as its first; the unchanged response if the text is
/// empty.
Response with_warning(Response response, std::string text);

/// Returns the answer to a path at which the server serves nothing: 404, as text.
Response no_page();

/// The resource or object that a path of the API names.
struct Route {
    ResourceTable::TypePointer type;
    std::string ns;
    std::string name;         ///< "" for the collection
    std::string subresource;  ///< such as status
};

/// The parts of a resource path, whether the server serves the resource or not.
struct ResourcePath {
    std::string_view group;
    std::string_view version;
    std::string_view ns;
    std::string_view resource;
    std::string_view name;
    std::string_view subresource;
    bool is_longer = false;  ///< the path has more segments after the subresource
};
/// Splits a path into its parts, which are views into the path. Returns nullopt for any other path,
/// such as /version.
std::optional<ResourcePath> read_resource_path(std::string_view path);

/// Finds the resource of a path. Errors: NotFound if the path does not name a resource that the
/// server serves.
Result<Route> find_route(const ResourceTable& types, std::string_view path);

}  // namespace sluice::apiserver
