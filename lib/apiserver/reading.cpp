#include "apiserver/reading.hpp"

#include "apiserver/body.hpp"
#include "apiserver/failures.hpp"
#include "apiserver/list_options.hpp"
#include "apiserver/table.hpp"
#include "apiserver/watch.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

/// Where a list that comes in pages goes on.
struct Position {
    std::int64_t version = 0;
    ObjectName after;
};

/// In the alphabet of base64 that stands in addresses as it is.
std::string encode(const Position& position) {
    std::string token = kube::encode_base64(json::print(json::Object{
        {"v", "meta.k8s.io/v1"},
        {"rv", position.version},
        {"ns", position.after.ns},
        {"start", position.after.name}
    }));
    std::ranges::replace(token, '+', '-');
    std::ranges::replace(token, '/', '_');
    token.resize(token.find_last_not_of('=') + 1);
    return token;
}

Result<Position> decode(std::string_view token) {
    std::string standard(token);
    std::ranges::replace(standard, '-', '+');
    std::ranges::replace(standard, '_', '/');
    standard.resize((standard.size() + 3) / 4 * 4, '=');
    const auto text = kube::decode_base64(standard);
    const auto read = text ? json::parse(*text) : Result<json::Value>(text.error());
    const json::Value* version = read ? read->find("rv") : nullptr;
    if (version == nullptr || !version->is_int()) {
        return bad_request(fmt::format(
            "invalid continue token: continue key is not valid: {}",
            text ? json_fault(*text) : "illegal base64 data"
        ));
    }
    return Position{
        version->as_int(),
        {std::string(read->string_at("ns")), std::string(read->string_at("start"))}
    };
}

/// A version that no object can have yet.
Result<void> check_reached(const State& state, const std::optional<std::int64_t>& version) {
    if (!version || *version <= state.store.version()) {
        return {};
    }
    return make_failure(
        504,
        "Timeout",
        fmt::format(
            "Timeout: Too large resource version: {}, current: {}", *version, state.store.version()
        ),
        json::Object{
            {"causes",
             json::Array{json::Object{
                 {"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}
             }}},
            {"retryAfterSeconds", 1}
        }
    );
}

bool wants_metadata_alone(const Request& request) {
    return request.accept.find("as=PartialObjectMetadata") != std::string::npos;
}

json::Value metadata_alone(const json::Value& object) {
    const json::Value* metadata = object.find("metadata");
    return json::Object{
        {"kind", "PartialObjectMetadata"},
        {"apiVersion", "meta.k8s.io/v1"},
        {"metadata", metadata == nullptr ? json::Value(json::Object()) : *metadata}
    };
}

/// What the client wants an object to look like.
Render make_render(const Request& request, const Route& route, Time now) {
    const auto type = route.type;
    if (wants_table(request)) {
        const std::string include(request.parameter("includeObject"));
        // Of a watch the first table alone tells its columns.
        const auto is_first = std::make_shared<bool>(true);
        return [type, include, now, is_first](const json::Value& stored) {
            const json::Value object = State::to_version(stored, *type);
            const json::Value* metadata = object.find("metadata");
            json::Value table = make_table(
                *type,
                {object},
                json::Object{{"resourceVersion", metadata->string_at("resourceVersion")}},
                include,
                now
            );
            if (!std::exchange(*is_first, false)) {
                table.set("columnDefinitions", nullptr);
            }
            return table;
        };
    }
    if (wants_metadata_alone(request)) {
        return [](const json::Value& stored) { return metadata_alone(stored); };
    }
    return [type](const json::Value& stored) { return State::to_version(stored, *type); };
}

Response get_one(const State& state, const Request& request, const Route& route, Time now) {
    const ObjectName name{route.type->is_namespaced ? route.ns : std::string(), route.name};
    const Snapshot object = state.store.find(State::collection_of(*route.type), name);
    const auto version = read_version(request);
    if (!version) {
        return make_response(version.error());
    }
    if (const auto reached = check_reached(state, *version); !reached) {
        return make_response(reached.error());
    }
    if (!object) {
        return make_response(not_found(*route.type, route.name));
    }
    return make_response(make_render(request, route, now)(*object));
}

/// Where the list begins, and as of which version.
Result<Position> find_position(const State& state, const ListOptions& options) {
    if (!options.token.empty()) {
        return decode(options.token);
    }
    if (const auto reached = check_reached(state, options.version); !reached) {
        return reached.error();
    }
    Position position{.version = state.store.version(), .after = {}};
    if (options.version && options.version_match == "Exact") {
        position.version = *options.version;
    }
    return position;
}

/// The page of a list that a request asks for.
struct Page {
    std::vector<json::Value> objects;
    json::Value metadata;
};

Page read_page(
    const Store::Objects& objects,
    const ListOptions& options,
    const Position& position,
    const ResourceType& type
) {
    Page page;
    std::int64_t left = 0;
    ObjectName last;
    auto at = options.token.empty() ? objects.begin() : objects.upper_bound(position.after);
    for (; at != objects.end(); ++at) {
        if (!options.filter.matches(at->first, *at->second)) {
            continue;
        }
        if (options.limit > 0 && std::ssize(page.objects) == options.limit) {
            ++left;
            continue;
        }
        page.objects.push_back(State::to_version(*at->second, type));
        last = at->first;
    }
    page.metadata = json::Object{{"resourceVersion", std::to_string(position.version)}};
    if (left > 0) {
        page.metadata.set("continue", encode({position.version, last}));
        if (options.filter.labels.empty() && options.filter.fields.empty()) {
            page.metadata.set("remainingItemCount", left);
        }
    } else if (type.is_custom) {
        page.metadata.set("continue", "");
    }
    return page;
}

Response show_page(const Request& request, const ResourceType& type, Page page, Time now) {
    if (wants_table(request)) {
        if (page.metadata.string_at("continue").empty()) {
            page.metadata.erase("continue");
        }
        return make_response(make_table(
            type, page.objects, std::move(page.metadata), request.parameter("includeObject"), now
        ));
    }
    const bool is_partial = wants_metadata_alone(request);
    json::Array items;
    items.reserve(page.objects.size());
    for (json::Value& object : page.objects) {
        items.push_back(is_partial ? metadata_alone(object) : to_item(std::move(object), type));
    }
    return make_response(json::Object{
        {"kind", is_partial ? "PartialObjectMetadataList" : type.list_kind()},
        {"apiVersion", is_partial ? "meta.k8s.io/v1" : type.api_version()},
        {"metadata", std::move(page.metadata)},
        {"items", std::move(items)}
    });
}

Response list(const State& state, const Request& request, const Route& route, Time now) {
    const auto options = read_list_options(request, route, false);
    if (!options) {
        return make_response(options.error());
    }
    const auto begun = find_position(state, *options);
    if (!begun) {
        return make_response(begun.error());
    }
    const Collection collection = State::collection_of(*route.type);
    std::optional<Store::Objects> then;
    if (begun->version != state.store.version()) {
        then = state.store.objects_at(collection, begun->version);
        if (!then) {
            return make_response(expired(
                options->token.empty()
                    ? "The resourceVersion for the provided list is too old."
                    : "The provided continue parameter is too old to display a consistent list "
                      "result. You can start a new list without the continue parameter, or use the "
                      "continue token in this response to retrieve the remainder of the results."
            ));
        }
    }
    const Store::Objects& objects = then ? *then : state.store.objects(collection);
    Page page = read_page(objects, *options, *begun, *route.type);
    return show_page(request, *route.type, std::move(page), now);
}

Response watch(State& state, const Request& request, const Route& route, Time now) {
    auto options = read_list_options(request, route, true);
    if (!options) {
        return make_response(options.error());
    }
    const std::int64_t after = options->version.value_or(0);
    const std::int64_t timeout = options->timeout_seconds > 0 ? options->timeout_seconds : 1800;
    Watch::Options watched{
        .filter = std::move(options->filter),
        .collection = State::collection_of(*route.type),
        .after = after,
        .sends_initial = options->sends_initial_events || after == 0,
        .marks_initial = options->sends_initial_events && options->allows_bookmarks,
        .allows_bookmarks = options->allows_bookmarks,
        .until = now + std::chrono::seconds(timeout),
        .render = make_render(request, route, now)
    };
    Response response;
    response.content_type = "application/json";
    response.watch = std::make_shared<Watch>(state.store, std::move(watched));
    return response;
}

}  // namespace

json::Value to_item(json::Value object, const ResourceType& type) {
    if (!type.is_custom) {
        object.erase("kind");
        object.erase("apiVersion");
    }
    return object;
}

Response read_objects(State& state, const Request& request, const Route& route, Time now) {
    if (request.is_set("watch")) {
        Route watched = route;
        Request asked = request;
        if (!route.name.empty()) {
            asked.query.erase("fieldSelector");
            asked.query.emplace("fieldSelector", "metadata.name=" + route.name);
            watched.name.clear();
        }
        return watch(state, asked, watched, now);
    }
    return route.name.empty() ? list(state, request, route, now)
                              : get_one(state, request, route, now);
}

}  // namespace sluice::apiserver
