#include "apiserver/reads.hpp"

#include "apiserver/continue_token.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/render.hpp"
#include "apiserver/watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Object;
using json::Value;

/// metav1.ListOptions, read and checked.
struct ListOptions {
    WatchFilter filter;
    std::optional<std::uint64_t> version;  ///< none: not given
    std::string match;
    std::int64_t limit = 0;
    std::string continue_text;
    bool sends_initial_events = false;
    bool has_initial_events = false;
    bool allows_bookmarks = false;
    Duration timeout{};
};

Result<std::int64_t> to_integer(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size()) {
        return bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text));
    }
    return number;
}

/// Fields that no selector of this kind may ask for.
Result<void> check_fields(const Scope& scope, const FieldSelector& fields) {
    std::vector<std::string> known;
    if (scope.resource->is_custom) {
        for (const auto& path : scope.version->selectable_fields) {
            known.push_back(path.substr(1));
        }
    } else {
        known = builtin_field_names(*scope.resource);
    }
    const bool has_own = !known.empty() || scope.resource->is_custom;
    for (const auto& requirement : fields.requirements()) {
        const auto& field = requirement.field;
        if (field == "metadata.name" || field == "metadata.namespace"
            || std::ranges::find(known, field) != known.end()) {
            continue;
        }
        if (has_own) {
            return bad_request(fmt::format("field label not supported: {}", field));
        }
        return bad_request(fmt::format(
            "\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            field
        ));
    }
    return {};
}

Result<WatchFilter> read_filter(const Scope& scope) {
    WatchFilter filter;
    filter.namespace_ = scope.resource->namespaced ? scope.namespace_ : "";
    auto labels = LabelSelector::parse(scope.query.get("labelSelector"));
    if (!labels) {
        return bad_request(labels.error().detail);
    }
    auto fields = FieldSelector::parse(scope.query.get("fieldSelector"));
    if (!fields) {
        return bad_request(fields.error().detail);
    }
    if (!scope.name.empty()) {
        fields = FieldSelector::parse("metadata.name=" + scope.name);
    }
    if (const auto checked = check_fields(scope, *fields); !checked) {
        return checked.error();
    }
    filter.labels = std::move(*labels);
    filter.fields = std::move(*fields);
    return filter;
}

Result<std::optional<std::uint64_t>> read_version(const Scope& scope, bool is_watch) {
    const auto& text = scope.query.get("resourceVersion");
    if (text.empty()) {
        return std::optional<std::uint64_t>();
    }
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc{} && end == text.data() + text.size()) {
        return std::optional(number);
    }
    const auto why = fmt::format(
        "resourceVersion: Invalid value: \"{}\": strconv.ParseUint: parsing \"{}\": invalid syntax",
        text,
        text
    );
    return is_watch ? make_status_error(500, "", why)
                    : bad_request("invalid resource version: " + why);
}

Error forbidden_option(std::string_view field, std::string_view why) {
    return invalid_options("ListOptions", {forbidden(std::string(field), why)});
}

Result<void> check_combination(const ListOptions& options, bool is_watch) {
    static constexpr std::string_view kField = "resourceVersionMatch";
    if (options.has_initial_events) {
        if (!is_watch) {
            return forbidden_option("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
        if (options.match != "NotOlderThan") {
            return forbidden_option(
                kField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
            );
        }
        return {};
    }
    if (options.match.empty()) {
        return {};
    }
    if (is_watch) {
        return forbidden_option(kField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (!options.version) {
        return forbidden_option(
            kField, "resourceVersionMatch is forbidden unless resourceVersion is provided"
        );
    }
    if (!options.continue_text.empty()) {
        return forbidden_option(
            kField, "resourceVersionMatch is forbidden when continue is provided"
        );
    }
    if (options.match != "Exact" && options.match != "NotOlderThan") {
        return invalid_options(
            "ListOptions",
            {unsupported_value(
                std::string(kField), Value(options.match), {"Exact", "NotOlderThan", ""}
            )}
        );
    }
    if (options.match == "Exact" && *options.version == 0) {
        return forbidden_option(
            kField, "resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\""
        );
    }
    return {};
}

Result<ListOptions> read_options(const Scope& scope, bool is_watch) {
    ListOptions options;
    auto filter = read_filter(scope);
    if (!filter) {
        return filter.error();
    }
    options.filter = std::move(*filter);
    const std::pair<const char*, std::int64_t*> kLimit{"limit", &options.limit};
    std::int64_t timeout = 0;
    for (const auto& [name, number] : {kLimit, {"timeoutSeconds", &timeout}}) {
        if (const auto& text = scope.query.get(name); !text.empty()) {
            const auto read = to_integer(text);
            if (!read) {
                return read.error();
            }
            *number = *read;
        }
    }
    options.timeout = std::chrono::seconds(timeout);
    options.match = scope.query.get("resourceVersionMatch");
    options.continue_text = scope.query.get("continue");
    options.allows_bookmarks = scope.query.is_true("allowWatchBookmarks");
    options.has_initial_events = scope.query.has("sendInitialEvents");
    options.sends_initial_events = scope.query.is_true("sendInitialEvents");
    const auto version = read_version(scope, is_watch);
    if (!version) {
        return version.error();
    }
    options.version = *version;
    if (const auto checked = check_combination(options, is_watch); !checked) {
        return checked.error();
    }
    return options;
}

Error version_too_large(const Core& core, std::uint64_t version) {
    Value cause{Object{}};
    cause.set("reason", "ResourceVersionTooLarge");
    cause.set("message", "Too large resource version");
    Value details{Object{}};
    details.set("causes", json::Array{std::move(cause)});
    details.set("retryAfterSeconds", 1);
    return make_status_error(
        504,
        "Timeout",
        fmt::format(
            "Timeout: Too large resource version: {}, current: {}", version, core.store.version()
        ),
        details
    );
}

IncludeObject include_of(const Scope& scope) {
    const auto& text = scope.query.get("includeObject");
    if (text == "None") {
        return IncludeObject::None;
    }
    return text == "Object" ? IncludeObject::Object : IncludeObject::Metadata;
}

Renderer make_renderer(const Scope& scope) {
    return {scope.resource, scope.version->name, scope.form, include_of(scope)};
}

/// The page of a list that a request asks for.
struct Page {
    std::vector<StoredPtr> objects;
    std::uint64_t version = 0;
    std::string continue_token;
    std::int64_t remaining = 0;
};

Error expired_token(const Core& core, const std::string& start) {
    const ContinueToken token{.version = 0, .is_inconsistent = true, .start = start};
    static_cast<void>(core);
    Value metadata{Object{}};
    metadata.set("continue", print_token(token));
    auto error = expired(
        "The provided continue parameter is too old to display a consistent list result. You can "
        "start a new list without the continue parameter, or use the continue token in this "
        "response to retrieve the remainder of the results. Continuing with the provided token "
        "results in an inconsistent list - objects that were created, modified, or deleted "
        "between the time the first chunk was returned and now may show up in the list."
    );
    auto status = json::parse(error.status);
    status->set("metadata", std::move(metadata));
    error.status = json::print(*status);
    return error;
}

/// Takes a page out of objects that begin at the list's start.
void fill_page(
    Collection::Objects::const_iterator at,
    const Collection::Objects& objects,
    const std::string& prefix,
    const ListOptions& options,
    Page& page
) {
    const bool is_selective = !options.filter.labels.empty() || !options.filter.fields.empty();
    std::string last;
    for (; at != objects.end() && at->first.starts_with(prefix); ++at) {
        if (!options.filter.matches(*at->second)) {
            continue;
        }
        if (options.limit > 0 && static_cast<std::int64_t>(page.objects.size()) == options.limit) {
            page.continue_token = print_token(
                {.version = page.version, .is_inconsistent = false, .start = last + '\0'}
            );
            if (is_selective) {
                return;
            }
            for (; at != objects.end() && at->first.starts_with(prefix); ++at) {
                ++page.remaining;
            }
            return;
        }
        last = at->first;
        page.objects.push_back(at->second);
    }
}

Result<Page> find_page(Core& core, const Scope& scope, const ListOptions& options) {
    const auto collection = scope.collection(core);
    const auto prefix =
        options.filter.namespace_.empty() ? std::string() : options.filter.namespace_ + "/";
    Page page;
    page.version = core.store.version();
    std::string start = prefix;
    bool is_old = false;
    if (!options.continue_text.empty()) {
        auto token = parse_token(options.continue_text);
        if (!token) {
            return bad_request(token.error().detail);
        }
        start = std::max(token->start, prefix);
        is_old = !token->is_inconsistent && token->version != page.version;
        page.version = token->is_inconsistent ? page.version : token->version;
    } else if (options.match == "Exact") {
        is_old = *options.version != page.version;
        page.version = *options.version;
    }
    if (options.version && *options.version > core.store.version()) {
        return version_too_large(core, *options.version);
    }
    if (!is_old) {
        const auto& objects = collection->objects();
        fill_page(objects.lower_bound(start), objects, prefix, options, page);
        return page;
    }
    const auto then = collection->snapshot(page.version, start);
    if (!then) {
        return options.continue_text.empty()
                   ? expired("The resourceVersion for the provided list is too old.")
                   : expired_token(core, start);
    }
    fill_page(then->begin(), *then, prefix, options, page);
    return page;
}

constexpr Duration kDefaultWatchTime = std::chrono::minutes(45);

}  // namespace

Flow<Result<Response>> get_object(Core* core, Scope* scope) {
    const auto stored = scope->collection(*core)->find(scope->namespace_, scope->name);
    if (stored == nullptr) {
        co_return object_not_found(scope->group_resource(), scope->name);
    }
    const auto body = co_await load_body(core, scope->resource, stored, scope->version->name);
    if (!body) {
        co_return body.error();
    }
    Response response;
    make_renderer(*scope).object(response.body, **body, core->now);
    co_return response;
}

Flow<Result<Response>> list_objects(Core* core, Scope* scope) {
    const auto options = read_options(*scope, false);
    if (!options) {
        co_return options.error();
    }
    const auto page = find_page(*core, *scope, *options);
    if (!page) {
        co_return page.error();
    }
    const auto renderer = make_renderer(*scope);
    Response response;
    renderer.begin_list(response.body, page->version, page->continue_token, page->remaining);
    bool is_first = true;
    for (const auto& stored : page->objects) {
        const auto body = co_await load_body(core, scope->resource, stored, scope->version->name);
        if (!body) {
            co_return body.error();
        }
        renderer.item(response.body, **body, is_first, core->now);
        is_first = false;
    }
    renderer.end_list(response.body);
    co_return response;
}

Result<Response> watch_objects(Core& core, Scope& scope) {
    const auto read = read_options(scope, true);
    if (!read) {
        return read.error();
    }
    if (read->version && *read->version > core.store.version()) {
        return version_too_large(core, *read->version);
    }
    WatchOptions options;
    options.filter = read->filter;
    options.version = read->version.value_or(0);
    options.allows_bookmarks = read->allows_bookmarks;
    const bool has_no_version = !read->version || *read->version == 0;
    options.sends_present =
        read->sends_initial_events || (!read->has_initial_events && has_no_version);
    options.marks_end_of_present = read->sends_initial_events && read->allows_bookmarks;
    if (!options.sends_present && has_no_version) {
        options.version = core.store.version();
    }
    Response response;
    response.content_type = "application/json";
    response.watch = std::make_shared<Watch>(
        core,
        scope.resource,
        scope.version->name,
        scope.collection(core),
        make_renderer(scope),
        std::move(options)
    );
    response.watch_timeout = read->timeout > Duration{} ? read->timeout : kDefaultWatchTime;
    return response;
}

Result<std::vector<StoredPtr>> select_objects(Core& core, Scope& scope) {
    const auto options = read_options(scope, false);
    if (!options) {
        return options.error();
    }
    auto page = find_page(core, scope, *options);
    if (!page) {
        return page.error();
    }
    return std::move(page->objects);
}

}  // namespace sluice::apiserver
