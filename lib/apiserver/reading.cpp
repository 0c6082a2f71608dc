#include "apiserver/reading.hpp"

#include "apiserver/failures.hpp"
#include "apiserver/table.hpp"
#include "apiserver/watch.hpp"
#include "kube/core/base64.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

Result<ObjectFilter> make_filter(const Request& request, const Route& route) {
    auto labels = LabelQuery::parse(request.parameter("labelSelector"));
    if (!labels) {
        return bad_request(labels.error().detail);
    }
    auto known = selectable_fields(route.type->group, route.type->plural);
    known.insert(
        known.end(), route.type->selectable_fields.begin(), route.type->selectable_fields.end()
    );
    auto fields = FieldQuery::parse(request.parameter("fieldSelector"), known);
    if (!fields) {
        return bad_request(fields.error().detail);
    }
    return ObjectFilter{.type = route.type, .ns = route.ns, .labels = *labels, .fields = *fields};
}

/// Where a list that comes in pages goes on.
struct Position {
    std::int64_t version = 0;
    ObjectName after;
};

std::string encode(const Position& position) {
    return kube::encode_base64(json::print(json::Object{
        {"v", "meta.k8s.io/v1"},
        {"rv", position.version},
        {"ns", position.after.ns},
        {"start", position.after.name}
    }));
}

Result<Position> decode(std::string_view token) {
    const auto text = kube::decode_base64(token);
    const auto read = text ? json::parse(*text) : Result<json::Value>(text.error());
    const json::Value* version = read ? read->find("rv") : nullptr;
    if (version == nullptr || !version->is_int()) {
        return bad_request("continue key is not valid");
    }
    return Position{
        version->as_int(),
        {std::string(read->string_at("ns")), std::string(read->string_at("start"))}
    };
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
        return [type, include, now](const json::Value& stored) {
            const json::Value object = State::to_version(stored, *type);
            const json::Value* metadata = object.find("metadata");
            return make_table(
                *type,
                {object},
                json::Object{{"resourceVersion", metadata->string_at("resourceVersion")}},
                include,
                now
            );
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
    if (!object) {
        return make_response(not_found(*route.type, route.name));
    }
    return make_response(make_render(request, route, now)(*object));
}

/// Where the list begins, and as of which version.
Result<Position> find_position(const State& state, const Request& request) {
    Position position{.version = state.store.version(), .after = {}};
    const std::string_view token = request.parameter("continue");
    const std::string_view version = request.parameter("resourceVersion");
    const std::string_view match = request.parameter("resourceVersionMatch");
    if (!token.empty()) {
        return decode(token);
    }
    if (!version.empty() && version != "0") {
        const auto wanted = number(version);
        if (!wanted) {
            return bad_request(fmt::format("invalid resource version: {}", version));
        }
        if (match == "Exact") {
            position.version = *wanted;
        }
    }
    return position;
}

Response list(const State& state, const Request& request, const Route& route, Time now) {
    const auto filter = make_filter(request, route);
    if (!filter) {
        return make_response(filter.error());
    }
    const Collection collection = State::collection_of(*route.type);
    const auto begun = find_position(state, request);
    if (!begun) {
        return make_response(begun.error());
    }
    const Position& position = *begun;
    const std::string_view token = request.parameter("continue");
    std::optional<Store::Objects> then;
    if (position.version != state.store.version()) {
        then = state.store.objects_at(collection, position.version);
        if (!then) {
            return make_response(expired(
                "The provided continue parameter is too old to display a consistent list result. "
                "You can start a new list without the continue parameter, or use the continue "
                "token in this response to retrieve the remainder of the results."
            ));
        }
    }
    const Store::Objects& objects = then ? *then : state.store.objects(collection);
    const std::int64_t limit = number(request.parameter("limit")).value_or(0);
    std::vector<json::Value> found;
    std::int64_t left = 0;
    ObjectName last;
    auto at = token.empty() ? objects.begin() : objects.upper_bound(position.after);
    for (; at != objects.end(); ++at) {
        if (!filter->matches(at->first, *at->second)) {
            continue;
        }
        if (limit > 0 && static_cast<std::int64_t>(found.size()) == limit) {
            ++left;
            continue;
        }
        found.push_back(State::to_version(*at->second, *route.type));
        last = at->first;
    }
    json::Value metadata = json::Object{{"resourceVersion", std::to_string(position.version)}};
    if (left > 0) {
        metadata.set("continue", encode({position.version, last}));
        const bool is_selected = !request.parameter("labelSelector").empty() ||
                                 !request.parameter("fieldSelector").empty();
        if (!is_selected) {
            metadata.set("remainingItemCount", left);
        }
    }
    if (wants_table(request)) {
        return make_response(make_table(
            *route.type, found, std::move(metadata), request.parameter("includeObject"), now
        ));
    }
    json::Array items;
    for (json::Value& object : found) {
        if (wants_metadata_alone(request)) {
            items.push_back(metadata_alone(object));
        } else {
            items.push_back(std::move(object));
        }
    }
    const bool is_partial = wants_metadata_alone(request);
    return make_response(json::Object{
        {"kind", is_partial ? "PartialObjectMetadataList" : route.type->list_kind()},
        {"apiVersion", is_partial ? "meta.k8s.io/v1" : route.type->api_version()},
        {"metadata", std::move(metadata)},
        {"items", std::move(items)}
    });
}

Response watch(State& state, const Request& request, const Route& route, Time now) {
    auto filter = make_filter(request, route);
    if (!filter) {
        return make_response(filter.error());
    }
    const std::string_view version = request.parameter("resourceVersion");
    const auto after = version.empty() ? std::optional<std::int64_t>(0) : number(version);
    if (!after) {
        return make_response(bad_request(fmt::format("invalid resource version: {}", version)));
    }
    const bool wants_initial = request.is_set("sendInitialEvents");
    if (wants_initial && request.parameter("resourceVersionMatch") != "NotOlderThan") {
        return make_response(
            bad_request("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
        );
    }
    const bool allows_bookmarks = request.is_set("allowWatchBookmarks");
    const auto timeout = number(request.parameter("timeoutSeconds"));
    Watch::Options options{
        .filter = std::move(*filter),
        .collection = State::collection_of(*route.type),
        .after = *after,
        .sends_initial = wants_initial || *after == 0,
        .marks_initial = wants_initial && allows_bookmarks,
        .allows_bookmarks = allows_bookmarks,
        .until = now + std::chrono::seconds(timeout.value_or(1800)),
        .render = make_render(request, route, now)
    };
    Response response;
    response.content_type = "application/json";
    response.watch = std::make_shared<Watch>(state.store, std::move(options));
    return response;
}

}  // namespace

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
