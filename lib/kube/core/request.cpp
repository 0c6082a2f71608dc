#include "kube/core/request.hpp"

#include "base/assert.hpp"
#include "json/writer.hpp"

#include <string_view>
#include <utility>

namespace sluice::kube {
namespace {

/// Adds `key=value` to a target, unless the value is empty.
void add_query(std::string& target, std::string_view key, std::string_view value) {
    if (value.empty()) {
        return;
    }
    target += target.find('?') == std::string::npos ? '?' : '&';
    target += key;
    target += '=';
    target += percent_encode(value);
}

Request read_of(std::string target) {
    return {.method = "GET", .target = std::move(target), .is_read = true};
}

Request make_write(
    std::string method,
    const ResourcePath& path,
    std::string content_type,
    std::string body,
    const WriteOptions& options
) {
    Request request{
        .method = std::move(method),
        .target = to_target(path),
        .content_type = std::move(content_type),
        .body = std::move(body),
    };
    add_query(request.target, "fieldManager", options.field_manager);
    add_query(request.target, "dryRun", options.dry_run ? "All" : "");
    request.before_send = options.before_send;
    return request;
}

std::string_view to_text(Propagation propagation) {
    switch (propagation) {
        case Propagation::Unset:
            return "";
        case Propagation::Orphan:
            return "Orphan";
        case Propagation::Background:
            return "Background";
        case Propagation::Foreground:
            return "Foreground";
    }
    return "";
}

std::string delete_body(const DeleteOptions& options) {
    std::string out;
    json::Writer writer(out);
    writer.start_object();
    writer.key("kind");
    writer.string("DeleteOptions");
    writer.key("apiVersion");
    writer.string("v1");
    if (options.propagation != Propagation::Unset) {
        writer.key("propagationPolicy");
        writer.string(to_text(options.propagation));
    }
    if (options.grace_period_seconds) {
        writer.key("gracePeriodSeconds");
        writer.integer(*options.grace_period_seconds);
    }
    if (!options.uid.empty() || !options.resource_version.empty()) {
        writer.key("preconditions");
        writer.start_object();
        if (!options.uid.empty()) {
            writer.key("uid");
            writer.string(options.uid);
        }
        if (!options.resource_version.empty()) {
            writer.key("resourceVersion");
            writer.string(options.resource_version);
        }
        writer.end_object();
    }
    writer.end_object();
    return out;
}

}  // namespace

Request make_get(const ResourcePath& path, const GetOptions& options) {
    SLUICE_ASSERT(!path.name.empty());
    Request request = read_of(to_target(path));
    add_query(request.target, "resourceVersion", options.resource_version);
    return request;
}

Request make_list(const ResourcePath& path, const ListOptions& options) {
    SLUICE_ASSERT(path.name.empty());
    Request request = read_of(to_target(path));
    add_query(request.target, "labelSelector", options.label_selector);
    add_query(request.target, "fieldSelector", options.field_selector);
    add_query(request.target, "limit", options.limit > 0 ? std::to_string(options.limit) : "");
    add_query(request.target, "continue", options.continue_token);
    add_query(request.target, "resourceVersion", options.resource_version);
    add_query(request.target, "resourceVersionMatch", options.resource_version_match);
    return request;
}

Request make_watch(const ResourcePath& path, const WatchOptions& options) {
    SLUICE_ASSERT(path.name.empty());
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(options.server_timeout).count();
    Request request = read_of(to_target(path));
    add_query(request.target, "watch", "true");
    add_query(request.target, "labelSelector", options.label_selector);
    add_query(request.target, "fieldSelector", options.field_selector);
    add_query(request.target, "resourceVersion", options.resource_version);
    add_query(request.target, "allowWatchBookmarks", options.allow_bookmarks ? "true" : "");
    add_query(request.target, "timeoutSeconds", seconds > 0 ? std::to_string(seconds) : "");
    return request;
}

Request make_create(const ResourcePath& path, std::string body, const WriteOptions& options) {
    // A subresource such as eviction or token is created under a named object.
    SLUICE_ASSERT(path.name.empty() == path.subresource.empty());
    return make_write("POST", path, "application/json", std::move(body), options);
}

Request make_update(const ResourcePath& path, std::string body, const WriteOptions& options) {
    SLUICE_ASSERT(!path.name.empty());
    return make_write("PUT", path, "application/json", std::move(body), options);
}

Request make_merge_patch(const ResourcePath& path, std::string body, const WriteOptions& options) {
    SLUICE_ASSERT(!path.name.empty());
    return make_write("PATCH", path, "application/merge-patch+json", std::move(body), options);
}

Request make_apply(const ResourcePath& path, std::string body, const ApplyOptions& options) {
    SLUICE_ASSERT(!path.name.empty() && !options.field_manager.empty());
    // JSON is a subset of YAML, so the apply type takes JSON on servers of every version.
    auto request = make_write(
        "PATCH",
        path,
        "application/apply-patch+yaml",
        std::move(body),
        WriteOptions{
            .field_manager = options.field_manager,
            .dry_run = options.dry_run,
            .before_send = options.before_send,
        }
    );
    add_query(request.target, "force", options.force ? "true" : "false");
    return request;
}

Request make_delete(const ResourcePath& path, const DeleteOptions& options) {
    SLUICE_ASSERT(!path.name.empty());
    return Request{
        .method = "DELETE",
        .target = to_target(path),
        .content_type = "application/json",
        .body = delete_body(options),
        .before_send = options.before_send,
    };
}

}  // namespace sluice::kube
