#include "apiserver/operations/reading.hpp"

#include "apiserver/objects/values.hpp"
#include "apiserver/operations/list_options.hpp"
#include "apiserver/operations/watch.hpp"
#include "apiserver/table/table.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"
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

/// The version of a list that continues with the current objects, because the log no longer reaches
/// back to its first page.
constexpr std::int64_t kLatest = -1;
/// How long the pages of a list can be requested. etcd compacts older versions after this time,
/// whether or not there were changes.
constexpr Duration kListTime = std::chrono::minutes(5);

/// The position at which the next page of a list begins.
struct Position {
    std::int64_t version = 0;
    ObjectName after;
    Time begun;
};

/// Encodes the position in base64 whose characters need no escaping in a URL.
std::string encode_position(const Position& position) {
    std::string token = kube::encode_base64(json::print(json::Object{
        {"v", "meta.k8s.io/v1"},
        {"rv", position.version},
        {"ns", position.after.ns},
        {"start", position.after.name},
        {"begun",
         std::chrono::floor<std::chrono::seconds>(position.begun).time_since_epoch().count()}
    }));
    std::ranges::replace(token, '+', '-');
    std::ranges::replace(token, '/', '_');
    token.resize(token.find_last_not_of('=') + 1);
    return token;
}

Result<Position> decode_position(std::string_view token) {
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
    constexpr std::int64_t kSecondsMax = 9'000'000'000;  // that a Time can be
    const std::int64_t begun = int_at(*read, "begun", 0);
    return Position{
        version->as_int(),
        {std::string(read->string_at("ns")), std::string(read->string_at("start"))},
        Time(std::chrono::seconds(begun < 0 || begun > kSecondsMax ? 0 : begun))
    };
}

/// Refuses a version that the store has not reached yet.
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

/// Returns the function that brings objects into the form that the client asked for.
Form make_form(const Request& request, const Route& route, Time now) {
    if (wants_table(request)) {
        const std::string include(request.parameter("includeObject"));
        // Only the first table of a watch has column definitions.
        const auto is_first = std::make_shared<bool>(true);
        return [type = route.type, include, now, is_first](const json::Value& object) {
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
        return [](const json::Value& object) { return metadata_alone(object); };
    }
    return [](json::Value object) { return object; };
}

Render make_render(const State& state, const Route& route, Form form) {
    return [&state, type = route.type, form = std::move(form)](const json::Value& stored) {
        return form(state.to_version(stored, *type));
    };
}

/// Like make_render(), but takes conversions by webhooks from `conversions`. Results are discarded
/// while conversions are missing.
Render make_converting_render(
    State& state, const Route& route, Form form, const std::shared_ptr<Conversions>& conversions
) {
    return
        [&state, conversions, type = route.type, form = std::move(form)](const json::Value& stored
        ) {
            const ConversionScope scope(state, *conversions);
            json::Value object = state.to_version(stored, *type);
            return conversions->are_missing() ? object : form(std::move(object));
        };
}

/// Returns the refusal of a list that can continue with another token.
Error expired_with(std::string message, const std::string& token) {
    Error made = expired(std::move(message));
    if (auto status = json::parse(made.status)) {
        status->set("metadata", json::Object{{"continue", token}});
        made.status = json::print(*status);
    }
    return made;
}

/// Returns the position at which the list begins, and its version.
Result<Position> find_position(const State& state, const ListOptions& options, Time now) {
    if (!options.token.empty()) {
        auto position = decode_position(options.token);
        if (position && position->version == kLatest) {
            position->version = state.store.version();
        }
        return position;
    }
    if (const auto reached = check_reached(state, options.version); !reached) {
        return reached.error();
    }
    Position position{.version = state.store.version(), .after = {}, .begun = now};
    if (options.version && options.version_match == "Exact") {
        position.version = *options.version;
    }
    return position;
}

/// One page of a list.
struct Page {
    std::vector<json::Value> objects;
    json::Value metadata;
};

Page read_page(
    const State& state,
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
        page.objects.push_back(state.to_version(*at->second, type));
        last = at->first;
    }
    page.metadata = json::Object{{"resourceVersion", std::to_string(position.version)}};
    if (left > 0) {
        page.metadata.set("continue", encode_position({position.version, last, position.begun}));
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

Response list(State& state, const Request& request, const Route& route, Time now) {
    const auto options = read_list_options(request, route, false);
    if (!options) {
        return make_response(options.error());
    }
    const auto begun = find_position(state, *options, now);
    if (!begun) {
        return make_response(begun.error());
    }
    const Collection collection = State::collection_of(*route.type);
    std::optional<Store::Objects> then;
    const bool goes_on = !options->token.empty();
    const bool is_over = goes_on && now - begun->begun >= kListTime;
    if (begun->version != state.store.version() && !is_over) {
        then = state.store.objects_at(collection, begun->version);
    }
    if (is_over) {
        // The compaction of etcd is a write, too.
        state.store.set_version(state.store.version() + 1);
    }
    if (is_over || (begun->version != state.store.version() && !then)) {
        return make_response(
            goes_on ? expired_with(
                          "The provided continue parameter is too old to display a consistent list "
                          "result. You can start a new list without the continue parameter, or use "
                          "the continue token in this response to retrieve the remainder of the "
                          "results.",
                          encode_position({kLatest, begun->after, now})
                      )
                    : expired("The resourceVersion for the provided list is too old.")
        );
    }
    const Store::Objects& objects = then ? *then : state.store.objects(collection);
    Page page = read_page(state, objects, *options, *begun, *route.type);
    return show_page(request, *route.type, std::move(page), now);
}

Response watch(State& state, const Request& request, const Route& route, Time now) {
    auto options = read_list_options(request, route, true);
    if (!options) {
        return make_response(options.error());
    }
    const std::int64_t after = options->version.value_or(0);
    const std::int64_t timeout = options->timeout_seconds > 0 ? options->timeout_seconds : 1800;
    // The webhook that converts the objects may change while they are watched.
    const auto conversions =
        route.type->conversion == nullptr ? nullptr : std::make_shared<Conversions>();
    const Form form = make_form(request, route, now);
    Watch::Options watched{
        .filter = std::move(options->filter),
        .collection = State::collection_of(*route.type),
        .after = after,
        .sends_initial = options->sends_initial_events || after == 0,
        .marks_initial = options->sends_initial_events && options->allows_bookmarks,
        .allows_bookmarks = options->allows_bookmarks,
        .until = now + std::chrono::seconds(timeout),
        .render = conversions == nullptr ? make_render(state, route, form)
                                         : make_converting_render(state, route, form, conversions),
        .form = form,
        .conversions = conversions
    };
    if (route.type->is_custom) {
        watched.is_served =
            [&types = state.types, group = route.type->group, plural = route.type->plural] {
                return types.find_stored(group, plural) != nullptr;
            };
    }
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

Snapshot find_one(const State& state, const Route& route) {
    const ObjectName name{route.type->is_namespaced ? route.ns : std::string(), route.name};
    return state.store.find(State::collection_of(*route.type), name);
}

Response show_one(
    const State& state, const Request& request, const Route& route, const Snapshot& object, Time now
) {
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
    return make_response(make_form(request, route, now)(state.to_version(*object, *route.type)));
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
                              : show_one(state, request, route, find_one(state, route), now);
}

}  // namespace sluice::apiserver
