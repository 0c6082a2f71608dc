#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "kube/core/request.hpp"
#include "kube/core/resource_path.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::kube {

/// What an asynchronous call of this library returns.
template <class T>
using Async = boost::asio::awaitable<Result<T>>;

/// The lines of one watch. Destroying it ends the watch.
class WatchStream {
  public:
    WatchStream() = default;
    WatchStream(const WatchStream&) = delete;
    WatchStream& operator=(const WatchStream&) = delete;
    virtual ~WatchStream() = default;
    /// The next line, or nothing when the server ended the stream in order.
    /// Errors: Timeout when nothing came for `idle_max`; Canceled; Unavailable when the stream
    /// broke; Invalid when a line is too long. After an error or the end the stream is over.
    virtual Async<std::optional<std::string>> next_line(Duration idle_max) = 0;
};

/// The Kubernetes API as JSON texts.
/// Every call ends by its timeout and ends at once with Canceled when its coroutine is cancelled.
/// Errors: the server's Status by its reason, kept whole in Error::status; Unavailable when the
/// server cannot be reached; Timeout. Thread: that of the executor it runs on.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    /// The object as JSON.
    virtual Async<std::string> get(ResourcePath path, GetOptions options = {}) = 0;
    /// One page of the collection as JSON (decode_list_page splits it).
    virtual Async<std::string> list(ResourcePath path, ListOptions options = {}) = 0;
    /// Creates the object in the collection `path` (or a subresource of a named one); the object as
    /// stored.
    virtual Async<std::string> create(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// Replaces the whole object or subresource (PUT). Only for objects that Sluice owns whole.
    virtual Async<std::string> update(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// JSON merge patch of the object or subresource. `metadata.resourceVersion` in the body makes
    /// it fail with Conflict when the object changed meanwhile.
    virtual Async<std::string> merge_patch(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// Server-side apply: the fields in the body are from now on exactly those that the field
    /// manager owns. Requires: a field manager; apiVersion, kind and metadata.name in the body.
    virtual Async<std::string> apply(ResourcePath path, std::string body, ApplyOptions options) = 0;
    /// Deletes the object; the answer is the object while finalizers hold it, else a Status.
    virtual Async<std::string> remove(ResourcePath path, DeleteOptions options = {}) = 0;
    /// Opens a watch on the collection.
    virtual Async<std::unique_ptr<WatchStream>> watch(ResourcePath path, WatchOptions options) = 0;
    /// GET of any path of the server: discovery ("/apis/batch/v1"), "/version", "/readyz".
    virtual Async<std::string> get_raw(std::string target, GetOptions options = {}) = 0;
};

}  // namespace sluice::kube
