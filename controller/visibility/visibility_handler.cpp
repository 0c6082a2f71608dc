#include "controller/visibility/visibility_handler.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/meta/status.hpp"
#include "base/log.hpp"
#include "controller/visibility/discovery.hpp"
#include "controller/visibility/openapi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

std::string openapi_path() {
    return std::string("/openapi/v3/apis/") + api::kVisibilityGroup + "/";
}

net::ServerResponse make_json(std::string body, int status = 200) {
    return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

net::ServerResponse make_status(
    int code,
    const char* reason,
    std::string message,
    std::optional<api::StatusDetails> details = {}
) {
    api::Status status;
    status.status = "Failure";
    status.message = std::move(message);
    status.reason = reason;
    status.details = std::move(details);
    status.code = code;
    return make_json(api::encode(status), code);
}

const char* singular(const VisibilityPath& path) {
    return path.queue == QueueKind::LocalQueue ? "localqueue" : "clusterqueue";
}

api::StatusDetails make_details(const VisibilityPath& path) {
    api::StatusDetails details;
    details.name = path.name;
    details.group = api::kVisibilityGroup;
    details.kind = singular(path);
    return details;
}

net::ServerResponse make_not_found(const VisibilityPath& path) {
    return make_status(
        404,
        "NotFound",
        fmt::format("{}.{} \"{}\" not found", singular(path), api::kVisibilityGroup, path.name),
        make_details(path)
    );
}

serving::Access make_access(std::string_view path, const std::optional<VisibilityPath>& parsed) {
    serving::Access access;
    access.verb = "get";
    if (!parsed || !parsed->queue) {
        access.path = path;
        return access;
    }
    access.group = api::kVisibilityGroup;
    access.version = parsed->version;
    access.resource = std::string(singular(*parsed)) + "s";
    access.subresource = "pendingworkloads";
    access.ns = parsed->ns;
    access.name = parsed->name;
    return access;
}

/// Uses the message of Kubernetes' own servers.
net::ServerResponse make_forbidden(
    const std::string& user, const serving::Access& access, const std::string& reason
) {
    std::string what;
    std::optional<api::StatusDetails> details;
    if (!access.path.empty()) {
        what = fmt::format(
            "forbidden: User \"{}\" cannot {} path \"{}\"", user, access.verb, access.path
        );
    } else {
        what = fmt::format(
            "{}.{} \"{}\" is forbidden: User \"{}\" cannot {} resource \"{}/{}\" in API group "
            "\"{}\" {}",
            access.resource,
            access.group,
            access.name,
            user,
            access.verb,
            access.resource,
            access.subresource,
            access.group,
            access.ns.empty() ? std::string("at the cluster scope")
                              : fmt::format("in the namespace \"{}\"", access.ns)
        );
        details.emplace();
        details->name = access.name;
        details->group = access.group;
        details->kind = access.resource;
    }
    return make_status(
        403, "Forbidden", reason.empty() ? what : what + ": " + reason, std::move(details)
    );
}

net::ServerResponse make_unjudged(const Error& error) {
    log::warning("cannot authorize a visibility request", {{"error", error.detail}});
    return make_status(
        500, "InternalError", "the API server did not say whether the request is allowed"
    );
}

bool is_probe(std::string_view path) {
    return path == "/healthz" || path == "/livez" || path == "/readyz";
}

/// Returns true for members of system:masters, who may do everything without a review.
bool may_do_all(const serving::User& user) {
    return std::ranges::find(user.groups, "system:masters") != user.groups.end();
}

bool wants_aggregated_discovery(const net::ServerRequest& request) {
    const std::string_view accept = net::find_header(request.headers, "accept");
    return accept.find("g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList") !=
           std::string_view::npos;
}

std::optional<net::ServerResponse> find_document(
    const net::ServerRequest& request, const std::optional<VisibilityPath>& parsed
) {
    const std::string_view path = request.path();
    if (is_probe(path)) {
        return net::ServerResponse{.status = 200, .body = "ok"};
    }
    if (path == "/apis" || path == "/apis/") {
        if (!wants_aggregated_discovery(request)) {
            return make_json(json::print(make_group_list()));
        }
        auto discovery = make_json(json::print(make_aggregated_discovery()));
        discovery.content_type =
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
        return discovery;
    }
    if (path == "/openapi/v2") {
        return make_json(openapi_v2());
    }
    if (path == "/openapi/v3") {
        return make_json(openapi_v3_index());
    }
    if (const std::string openapi = openapi_path(); path.starts_with(openapi)) {
        const std::string_view version = path.substr(openapi.size());
        const bool is_known =
            std::ranges::find(kVisibilityVersions, version) != kVisibilityVersions.end();
        return is_known ? std::optional(make_json(openapi_v3(version))) : std::nullopt;
    }
    if (parsed && !parsed->queue) {
        return make_json(json::print(
            parsed->version.empty() ? make_group() : make_resource_list(parsed->version)
        ));
    }
    return std::nullopt;
}

}  // namespace

net::HeadVerdict VisibilityHandler::judge_head(std::string_view method, std::string_view) const {
    net::HeadVerdict verdict;
    verdict.body_bytes_max = 0;
    if (method != "GET" && method != "HEAD") {
        verdict.refusal = make_status(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource"
        );
        verdict.refusal->headers.push_back({"Allow", "GET"});
    }
    return verdict;
}

boost::asio::awaitable<std::optional<net::ServerResponse>> VisibilityHandler::refuse(
    const net::ServerRequest* request, const std::optional<VisibilityPath>* path
) {
    if (is_probe(request->path())) {
        co_return std::nullopt;
    }
    auto identified =
        co_await parts_.authentication.identify(request->headers, request->client_certificates);
    if (!identified) {
        co_return make_unjudged(identified.error());
    }
    std::optional<serving::User>& user = *identified;
    if (!user) {
        co_return make_status(401, "Unauthorized", "Unauthorized");
    }
    if (may_do_all(*user)) {
        co_return std::nullopt;
    }
    const auto access = make_access(request->path(), *path);
    const std::string name = user->name;
    const auto verdict = co_await parts_.reviews.judge(std::move(*user), access);
    if (!verdict) {
        co_return make_unjudged(verdict.error());
    }
    if (!verdict->allowed) {
        co_return make_forbidden(name, access, verdict->reason);
    }
    co_return std::nullopt;
}

boost::asio::awaitable<net::ServerResponse> VisibilityHandler::answer_pending(
    const net::ServerRequest* request, VisibilityPath path
) {
    const auto page = parse_page(request->query("offset"), request->query("limit"));
    if (!page) {
        co_return make_status(400, "BadRequest", page.error().detail);
    }
    const auto rows = co_await parts_.find_pending(path, *page);
    if (!rows) {
        auto busy = make_status(503, "ServiceUnavailable", rows.error().detail);
        busy.headers.push_back({"Retry-After", "1"});
        co_return busy;
    }
    const auto& found = *rows;
    if (!found) {
        co_return make_not_found(path);
    }
    co_return make_json(print_summary(*found, path.version));
}

boost::asio::awaitable<net::ServerResponse> VisibilityHandler::handle(net::ServerRequest request) {
    const auto path = parse_visibility_path(request.path());
    auto refusal = co_await refuse(&request, &path);
    if (refusal) {
        co_return std::move(*refusal);
    }
    if (auto document = find_document(request, path)) {
        co_return std::move(*document);
    }
    if (!path || !path->queue) {
        co_return net::ServerResponse{.status = 404, .body = "404 page not found\n"};
    }
    auto answer = co_await answer_pending(&request, *path);
    co_return answer;
}

}  // namespace sluice::controller
