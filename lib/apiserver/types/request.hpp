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

/// A request as the server's HTTP part hands it over.
struct Request {
    std::string method;
    std::string path;  ///< decoded
    std::multimap<std::string, std::string> query;
    std::string content_type;
    std::string accept;
    std::string user_agent;
    std::string body;
    std::string user = "kubernetes-admin";
    /// Whether its user is not the administrator, and may do what roles say.
    bool is_restricted = false;
    std::vector<std::string> groups{};
    std::string uid{};  ///< of the user
    /// What else is known of the user.
    std::map<std::string, std::vector<std::string>> extra{};

    /// The first value of the parameter, or "".
    std::string_view parameter(std::string_view name) const;
    /// Whether the parameter is there and neither `false` nor `0`.
    bool is_set(std::string_view name) const;
    /// The manager that owns what is written: `fieldManager`, else the product of the user agent.
    std::string field_manager() const;
    bool is_dry_run() const { return parameter("dryRun") == "All"; }
};

/// Splits a target into path and query, decoded.
Request make_request(std::string_view method, std::string_view target);

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    std::vector<std::string> warnings{};  ///< texts of Warning headers
    std::shared_ptr<Watch> watch{};       ///< the body is its lines, without end
};

Response make_response(const json::Value& object, int status = 200);
/// The Status of a refusal.
Response make_response(const Error& error);

/// The response with a warning before its others; as it is where the text is empty.
Response with_warning(Response response, std::string text);

/// The answer to a path that nothing is at.
Response no_page();

/// What a path of the API names.
struct Route {
    ResourceTable::TypePointer type;
    std::string ns;
    std::string name;         ///< "": the collection
    std::string subresource;  ///< such as status
};

/// A path of resources by its parts, whether or not they are served.
struct ResourcePath {
    std::string_view group;
    std::string_view version;
    std::string_view ns;
    std::string_view resource;
    std::string_view name;
    std::string_view subresource;
    bool is_longer = false;  ///< there is more behind the subresource
};
/// Reads it; the parts are pieces of the path. None for a path of another kind, such as /version.
std::optional<ResourcePath> read_resource_path(std::string_view path);

/// Errors: NotFound when the path names no resource that the server has.
Result<Route> find_route(const ResourceTable& types, std::string_view path);

}  // namespace sluice::apiserver
