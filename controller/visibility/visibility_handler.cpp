#include "controller/visibility/visibility_handler.hpp"

#include "api/insight/insight_names.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/status.hpp"
#include "controller/insight/api_answers.hpp"
#include "controller/insight/insight_documents.hpp"
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
        const std::string name = access.name.empty() ? "" : fmt::format(" \"{}\"", access.name);
        what = fmt::format(
            "{}.{}{} is forbidden: User \"{}\" cannot {} resource \"{}{}{}\" in API group \"{}\" "
            "{}",
            access.resource,
            access.group,
            name,
            user,
            access.verb,
            access.resource,
            access.subresource.empty() ? "" : "/",
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

bool is_probe(std::string_view path) {
    return path == "/healthz" || path == "/livez" || path == "/readyz";
}

bool wants_aggregated_discovery(const net::ServerRequest& request) {
    const std::string_view accept = net::find_header(request.headers, "accept");
    return accept.find("g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList") !=
           std::string_view::npos;
}

}  // namespace

serving::Access VisibilityHandler::access_to(
    const net::ServerRequest& request, const Asked& asked
) {
    serving::Access access;
    access.verb = "get";
    if (asked.visibility && asked.visibility->queue) {
        const VisibilityPath& path = *asked.visibility;
        access.group = api::kVisibilityGroup;
        access.version = path.version;
        access.resource = std::string(singular(path)) + "s";
        access.subresource = "pendingworkloads";
        access.ns = path.ns;
        access.name = path.name;
    } else if (asked.insight && asked.insight->answer != InsightAnswer::None) {
        return insight_access(*asked.insight);
    } else {
        access.path = request.path();
    }
    return access;
}

std::optional<net::ServerResponse> VisibilityHandler::find_document(
    const net::ServerRequest& request, const Asked& asked
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
    if (path == std::string("/openapi/v3/apis/") + api::kInsightApiVersion) {
        return make_json(insight_openapi());
    }
    if (const std::string openapi = openapi_path(); path.starts_with(openapi)) {
        const std::string_view version = path.substr(openapi.size());
        const bool is_known =
            std::ranges::find(kVisibilityVersions, version) != kVisibilityVersions.end();
        return is_known ? std::optional(make_json(openapi_v3(version))) : std::nullopt;
    }
    if (const auto& parsed = asked.visibility; parsed && !parsed->queue) {
        return make_json(json::print(
            parsed->version.empty() ? make_group() : make_resource_list(parsed->version)
        ));
    }
    if (const auto& parsed = asked.insight; parsed && parsed->answer == InsightAnswer::None) {
        return make_json(
            json::print(parsed->has_version ? make_insight_resources() : make_insight_group())
        );
    }
    return std::nullopt;
}

net::HeadVerdict VisibilityHandler::judge_head(std::string_view method, std::string_view path)
    const {
    net::HeadVerdict verdict;
    const auto asked = parse_insight_path(path);
    const bool may_post = asked && asked->answer == InsightAnswer::WhatIf;
    verdict.body_bytes_max = may_post && method == "POST" ? kWhatIfBytesMax : 0;
    if (may_post ? method != "POST" : method != "GET" && method != "HEAD") {
        verdict.refusal = make_status(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource"
        );
        verdict.refusal->headers.push_back({"Allow", may_post ? "POST" : "GET"});
    }
    return verdict;
}

boost::asio::awaitable<std::optional<net::ServerResponse>> VisibilityHandler::refuse(
    const net::ServerRequest* request, const Asked* asked, serving::User* user
) {
    if (is_probe(request->path())) {
        co_return std::nullopt;
    }
    auto identified =
        co_await parts_.authentication.identify(request->headers, request->client_certificates);
    if (!identified) {
        co_return make_unjudged(identified.error());
    }
    std::optional<serving::User>& known = *identified;
    if (!known) {
        co_return make_status(401, "Unauthorized", "Unauthorized");
    }
    *user = std::move(*known);
    if (may_do_all(*user)) {
        co_return std::nullopt;
    }
    const auto access = access_to(*request, *asked);
    const auto verdict = co_await parts_.reviews.judge(*user, access);
    if (!verdict) {
        co_return make_unjudged(verdict.error());
    }
    if (!verdict->allowed) {
        co_return make_forbidden(user->name, access, verdict->reason);
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
        co_return make_busy(rows.error().detail);
    }
    const auto& found = *rows;
    if (!found) {
        co_return make_not_found(path);
    }
    co_return make_json(print_summary(*found, path.version));
}

boost::asio::awaitable<net::ServerResponse> VisibilityHandler::handle(net::ServerRequest request) {
    const Asked asked{
        .visibility = parse_visibility_path(request.path()),
        .insight = parse_insight_path(request.path()),
    };
    serving::User user;
    auto refusal = co_await refuse(&request, &asked, &user);
    if (refusal) {
        co_return std::move(*refusal);
    }
    if (auto document = find_document(request, asked)) {
        co_return std::move(*document);
    }
    if (asked.insight && asked.insight->answer != InsightAnswer::None) {
        auto answered = co_await insight_.answer(&request, &*asked.insight, &user);
        co_return answered;
    }
    if (!asked.visibility || !asked.visibility->queue) {
        co_return net::ServerResponse{.status = 404, .body = "404 page not found\n"};
    }
    auto answer = co_await answer_pending(&request, *asked.visibility);
    co_return answer;
}

}  // namespace sluice::controller
