#include "apiserver/api_server.hpp"

#include "apiserver/access/access.hpp"
#include "apiserver/admission/webhook_answer.hpp"
#include "apiserver/cluster_content.hpp"
#include "apiserver/discovery.hpp"
#include "apiserver/operations/delete_operation.hpp"
#include "apiserver/operations/deletion.hpp"
#include "apiserver/operations/patching.hpp"
#include "apiserver/operations/read_operation.hpp"
#include "apiserver/operations/reading.hpp"
#include "apiserver/subresources/subresources.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/builtin_schemas.hpp"
#include "apiserver/types/failures.hpp"
#include "apiserver/types/negotiation.hpp"
#include "config/go_duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

std::optional<WriteOperation::Verb> write_verb_of(const Request& request, const Route& route) {
    using Verb = WriteOperation::Verb;
    if (request.method == "POST" && route.name.empty()) {
        return Verb::Create;
    }
    if (request.method == "PUT" && !route.name.empty()) {
        return Verb::Update;
    }
    if (request.method == "PATCH" && !route.name.empty()) {
        const bool is_apply = media_type(request.content_type) == "application/apply-patch+yaml";
        return is_apply ? Verb::Apply : Verb::Patch;
    }
    return std::nullopt;
}

/// Returns true if discovery lists the verb of the request for the resource.
bool allows_method(const Route& route, const Request& request) {
    if (!route.subresource.empty()) {
        return true;
    }
    const bool is_one = !route.name.empty();
    const std::string_view verb = request.method == "POST" && !is_one    ? "create"
                                  : request.method == "PUT" && is_one    ? "update"
                                  : request.method == "PATCH" && is_one  ? "patch"
                                  : request.method == "DELETE" && is_one ? "delete"
                                  : request.method == "DELETE"           ? "deletecollection"
                                  : request.method == "GET" && is_one    ? "get"
                                  : request.method == "GET"              ? "list"
                                                                         : "";
    const bool is_whole_collection = verb == "deletecollection" && route.ns.empty();
    return std::ranges::find(route.type->verbs, verb) != route.type->verbs.end() &&
           !(is_whole_collection && route.type->is_namespaced);
}

/// Refuses a malformed timeout. Other timeouts are ignored: no request takes long.
Result<void> check_timeout(const Request& request) {
    const std::string_view text = request.parameter("timeout");
    if (text.empty() || request.is_set("watch") || config::parse_go_duration(text)) {
        return {};
    }
    return bad_request(fmt::format(
        "invalid timeout specified in the request URL - time: invalid duration \"{}\"", text
    ));
}

/// Answers an unknown path. Below a group with built-in kinds the answer is a Status, elsewhere
/// plain text.
Response answer_unknown_path(std::string_view path) {
    const auto& known = builtin_kinds();
    const bool is_of_group = std::ranges::any_of(known, [path](const OpenApiKind& kind) {
        const std::string root = kind.group.empty() ? "/api/" : "/apis/" + kind.group + "/";
        return path.starts_with(root);
    });
    if (is_of_group) {
        return make_response(unknown_path());
    }
    return no_page();
}

}  // namespace

Response answer_too_large() {
    return make_response(make_failure(
        413,
        "RequestEntityTooLarge",
        fmt::format("Request entity too large: limit is {}", kBodyMax),
        {}
    ));
}

ApiServer::ApiServer(Options options, Time now) : state_(options.seed, options.log_max) {
    state_.root_ca = std::move(options.root_ca);
    state_.administrator_token = std::move(options.administrator_token);
    state_.has_controller = options.has_controller;
    add_cluster_content(*this, now);
}

Answer ApiServer::begin(Request request, Time now) {
    if (request.body.size() > kBodyMax) {
        return answer_too_large();
    }
    if (const auto timed = check_timeout(request); !timed) {
        return make_response(timed.error());
    }
    if (const auto fault = find_access_fault(state_, request)) {
        return make_response(*fault);
    }
    if (auto answer = discover(state_.types, request)) {
        return std::move(*answer);
    }
    auto route = find_route(state_.types, request.path);
    if (!route) {
        return answer_unknown_path(request.path);
    }
    if (!allows_method(*route, request)) {
        return make_response(method_not_allowed());
    }
    if (const auto acceptable = check_accept(request.accept); !acceptable) {
        return make_response(acceptable.error());
    }
    if (route->type->is_review) {
        if (wants_another_form(request.accept)) {
            return make_response(not_acceptable());
        }
        return answer_review(state_, request, *route, now);
    }
    if (auto answer = answer_subresource(state_, request, *route, now)) {
        return std::move(*answer);
    }
    const bool is_deletion = request.method == "DELETE" && route->subresource.empty();
    if (is_deletion && DeleteOperation::is_needed(state_)) {
        return std::make_unique<DeleteOperation>(state_, std::move(request), std::move(*route));
    }
    if ((request.method == "GET" || is_deletion) && state_.is_converted_outside(*route->type)) {
        return std::make_unique<ReadOperation>(state_, std::move(request), std::move(*route));
    }
    if (request.method == "GET") {
        return read_objects(state_, request, *route, now);
    }
    if (is_deletion) {
        return delete_objects(state_, request, *route, now);
    }
    const auto verb = write_verb_of(request, *route);
    const bool needs_namespace = route->type->is_namespaced && route->ns.empty();
    if (!verb || needs_namespace) {
        return make_response(method_not_allowed());
    }
    if (*verb == WriteVerb::Patch) {
        if (const auto fits = check_patch_type(request, *route->type); !fits) {
            return make_response(fits.error());
        }
    }
    if (const auto checked = check_write_parameters(request, *verb); !checked) {
        return make_response(checked.error());
    }
    auto operation =
        std::make_unique<WriteOperation>(state_, std::move(request), std::move(*route), *verb);
    return operation;
}

std::string ApiServer::find_deprecation(std::string_view path) const {
    const auto route = find_route(state_.types, path);
    return route && route->type != nullptr ? route->type->deprecation : "";
}

Response ApiServer::handle(Request request, Time now) {
    const std::string deprecation = find_deprecation(request.path);
    Answer answer = begin(std::move(request), now);
    if (auto* operation = std::get_if<std::unique_ptr<Operation>>(&answer)) {
        while (const auto call = (*operation)->advance(now)) {
            (*operation)->take_answer(make_approval(call->review));
        }
        return with_warning(std::move((*operation)->response()), deprecation);
    }
    return with_warning(std::move(std::get<Response>(answer)), deprecation);
}

}  // namespace sluice::apiserver
