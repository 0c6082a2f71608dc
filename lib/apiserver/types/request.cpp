#include "apiserver/types/request.hpp"

#include "apiserver/types/failures.hpp"
#include "base/printable.hpp"

#include <algorithm>
#include <utility>

namespace sluice::apiserver {

namespace {

int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

std::string decoded(std::string_view text, bool is_query) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 &&
            hex(text[i + 2]) >= 0) {
            out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            out += is_query && text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    while (!path.empty()) {
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), segment.size() + 1));
        if (!segment.empty()) {
            segments.push_back(segment);
        }
    }
    return segments;
}

}  // namespace

std::string_view Request::parameter(std::string_view name) const {
    const auto found = query.find(std::string(name));
    return found == query.end() ? std::string_view() : std::string_view(found->second);
}

bool Request::is_set(std::string_view name) const {
    const auto found = query.find(std::string(name));
    if (found == query.end()) {
        return false;
    }
    std::string value = found->second;
    for (char& c : value) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return value != "false" && value != "0";
}

std::string Request::field_manager() const {
    const std::string_view given = parameter("fieldManager");
    if (!given.empty()) {
        return std::string(given);
    }
    const std::string product = user_agent.substr(0, user_agent.find('/'));
    return product.empty() ? "unknown" : product;
}

Request make_request(std::string_view method, std::string_view target) {
    Request request;
    request.method = method;
    const std::size_t mark = target.find('?');
    request.path = to_utf8(decoded(target.substr(0, mark), false));
    std::string_view query =
        mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        const std::size_t equals = pair.find('=');
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
        request.query.emplace(
            to_utf8(decoded(pair.substr(0, equals), true)), to_utf8(decoded(value, true))
        );
    }
    return request;
}

Response make_response(const json::Value& object, int status) {
    return {.status = status, .body = json::print(object) + "\n"};
}

Response make_response(const Error& error) {
    return {.status = http_status(error), .body = error.status + "\n"};
}

Response with_warning(Response response, std::string text) {
    if (!text.empty()) {
        response.warnings.insert(response.warnings.begin(), std::move(text));
    }
    return response;
}

Response no_page() {
    return {
        .status = 404, .content_type = "text/plain; charset=utf-8", .body = "404 page not found\n"
    };
}

std::optional<ResourcePath> read_resource_path(std::string_view path) {
    std::vector<std::string_view> segments = segments_of(path);
    const auto at = [&segments](std::size_t i) {
        return i < segments.size() ? segments[i] : std::string_view();
    };
    ResourcePath parts;
    std::size_t next = 0;
    if (at(0) == "api") {
        parts.version = at(1);
        next = 2;
    } else if (at(0) == "apis") {
        parts.group = at(1);
        parts.version = at(2);
        next = 3;
    }
    if (next == 0 || at(next).empty()) {
        return std::nullopt;
    }
    // "namespaces" itself is a resource, and `status` and `finalize` are parts of a Namespace.
    const bool is_part_of_namespace =
        parts.group.empty() && (at(next + 2) == "status" || at(next + 2) == "finalize");
    if (at(next) == "namespaces" && segments.size() > next + 2 && !is_part_of_namespace) {
        parts.ns = at(next + 1);
        next += 2;
    }
    parts.resource = at(next);
    parts.name = at(next + 1);
    parts.subresource = at(next + 2);
    parts.is_longer = segments.size() > next + 3;
    return parts;
}

Result<Route> find_route(const ResourceTable& types, std::string_view path) {
    const auto parts = read_resource_path(path);
    if (!parts) {
        return unknown_path();
    }
    Route route;
    route.type = types.find(parts->group, parts->version, parts->resource);
    route.ns = parts->ns;
    route.name = parts->name;
    route.subresource = parts->subresource;
    const bool fits = route.type != nullptr && !parts->is_longer &&
                      (route.type->is_namespaced || route.ns.empty());
    if (!fits || (route.type->is_namespaced && route.ns.empty() && !route.name.empty())) {
        return unknown_path();
    }
    return route;
}

}  // namespace sluice::apiserver
