#include "apiserver/operations/list_options.hpp"

#include "apiserver/objects/cause.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::string_view kMatch = "resourceVersionMatch";

std::optional<std::int64_t> to_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = fault == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

/// Reads an optional number; 0 if it is not set.
Result<std::int64_t> read_number_option(const Request& request, std::string_view name) {
    const std::string_view text = request.parameter(name);
    if (text.empty()) {
        return 0;
    }
    const auto number = to_number(text);
    if (!number) {
        return bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text));
    }
    return *number;
}

Result<ObjectFilter> read_filter(const Request& request, const Route& route) {
    auto labels = LabelQuery::parse(request.parameter("labelSelector"));
    if (!labels) {
        return bad_request(labels.error().detail);
    }
    auto known = selectable_fields(route.type->group, route.type->plural);
    known.insert(
        known.end(), route.type->selectable_fields.begin(), route.type->selectable_fields.end()
    );
    auto fields =
        FieldQuery::parse(request.parameter("fieldSelector"), known, route.type->is_custom);
    if (!fields) {
        return bad_request(fields.error().detail);
    }
    return ObjectFilter{.type = route.type, .ns = route.ns, .labels = *labels, .fields = *fields};
}

Error refuse_option(std::string_view field, std::string_view why) {
    return invalid_options("ListOptions", {api::FieldError::forbidden(std::string(field), why)});
}

Result<void> check_initial_events(const ListOptions& options, bool is_watch) {
    if (!is_watch) {
        return refuse_option("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    if (options.version_match != "NotOlderThan") {
        return refuse_option(
            kMatch, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        );
    }
    return {};
}

Result<void> check_version_match(const ListOptions& options, bool is_watch) {
    const std::string& match = options.version_match;
    if (match.empty()) {
        return {};
    }
    if (is_watch) {
        return refuse_option(
            kMatch,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
        );
    }
    if (!options.version) {
        return refuse_option(
            kMatch, "resourceVersionMatch is forbidden unless resourceVersion is provided"
        );
    }
    if (!options.token.empty()) {
        return refuse_option(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != "Exact" && match != "NotOlderThan") {
        return invalid_options(
            "ListOptions",
            {api::FieldError::not_supported(
                std::string(kMatch), match, {"Exact", "NotOlderThan", ""}
            )}
        );
    }
    if (match == "Exact" && *options.version == 0) {
        return refuse_option(
            kMatch, "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\""
        );
    }
    return {};
}

}  // namespace

Result<std::optional<std::int64_t>> read_version(const Request& request) {
    const std::string_view text = request.parameter("resourceVersion");
    if (text.empty()) {
        return std::optional<std::int64_t>();
    }
    const auto number = to_number(text);
    if (number && *number >= 0) {
        return number;
    }
    return make_failure(
        500,
        "",
        fmt::format(
            "resourceVersion: Invalid value: \"{}\": strconv.ParseUint: parsing \"{}\": invalid "
            "syntax",
            text,
            text
        ),
        {}
    );
}

Result<ListOptions> read_list_options(const Request& request, const Route& route, bool is_watch) {
    auto filter = read_filter(request, route);
    if (!filter) {
        return filter.error();
    }
    ListOptions options{.filter = std::move(*filter)};
    const auto limit = read_number_option(request, "limit");
    const auto timeout = read_number_option(request, "timeoutSeconds");
    if (!limit || !timeout) {
        return limit ? timeout.error() : limit.error();
    }
    options.limit = *limit;
    options.timeout_seconds = *timeout;
    options.version_match = request.parameter(kMatch);
    options.token = request.parameter("continue");
    options.sends_initial_events = request.is_set("sendInitialEvents");
    options.allows_bookmarks = request.is_set("allowWatchBookmarks");
    const auto version = read_version(request);
    if (!version) {
        return is_watch ? version.error()
                        : bad_request("invalid resource version: " + version.error().detail);
    }
    options.version = *version;
    const auto checked = request.query.contains("sendInitialEvents")
                             ? check_initial_events(options, is_watch)
                             : check_version_match(options, is_watch);
    if (!checked) {
        return checked.error();
    }
    return options;
}

}  // namespace sluice::apiserver
