// The options of every API verb, and the HTTP requests made from them.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "kube/core/resource_path.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sluice::kube {

/// The default time limit of a call, including its retries.
inline constexpr Duration kDefaultCallTimeout = std::chrono::seconds(30);

/// Called right before each attempt of a call. If it returns an error, nothing is sent and the call
/// ends with that error. May be empty.
using BeforeSend = std::function<Result<void>()>;

struct GetOptions {
    std::string resource_version;
    Duration timeout = kDefaultCallTimeout;
};

struct ListOptions {
    std::string label_selector;
    std::string field_selector;
    std::int64_t limit = 0;  ///< objects in a page; 0: all in one response
    std::string continue_token;
    std::string resource_version;
    std::string resource_version_match;
    Duration timeout = std::chrono::seconds(60);
};

struct WatchOptions {
    std::string label_selector;
    std::string field_selector;
    std::string resource_version;
    Duration server_timeout = std::chrono::minutes(5);  ///< until the server ends the stream
    Duration connect_timeout = kDefaultCallTimeout;     ///< limit until the response begins
    bool allow_bookmarks = true;
};

/// Options of create, update and merge patch.
struct WriteOptions {
    std::string field_manager;  ///< if empty, the server uses the product name of the user agent
    bool dry_run = false;
    Duration timeout = kDefaultCallTimeout;
    BeforeSend before_send = {};
};

struct ApplyOptions {
    std::string field_manager;
    bool force = true;
    bool dry_run = false;
    Duration timeout = kDefaultCallTimeout;
    BeforeSend before_send = {};
};

enum class Propagation : std::uint8_t { Unset, Orphan, Background, Foreground };

struct DeleteOptions {
    std::string uid;               ///< precondition; ignored if empty
    std::string resource_version;  ///< precondition; ignored if empty
    Propagation propagation = Propagation::Unset;
    std::optional<std::int64_t> grace_period_seconds = std::nullopt;
    Duration timeout = kDefaultCallTimeout;
    BeforeSend before_send = {};
};

/// A request as the API server expects it, before authentication.
struct Request {
    std::string method;
    std::string target;
    std::string content_type = {};
    std::string body = {};
    bool is_read = false;  ///< does not change anything, so it may be repeated
    BeforeSend before_send = {};
};

/// Functions that make the request of a verb. Requires: the path has a name; for list, watch and
/// create it has none, except to create a subresource.
Request make_get(const ResourcePath& path, const GetOptions& options);
Request make_list(const ResourcePath& path, const ListOptions& options);
Request make_watch(const ResourcePath& path, const WatchOptions& options);
Request make_create(const ResourcePath& path, std::string body, const WriteOptions& options);
Request make_update(const ResourcePath& path, std::string body, const WriteOptions& options);
Request make_merge_patch(const ResourcePath& path, std::string body, const WriteOptions& options);
Request make_apply(const ResourcePath& path, std::string body, const ApplyOptions& options);
Request make_delete(const ResourcePath& path, const DeleteOptions& options);

}  // namespace sluice::kube
