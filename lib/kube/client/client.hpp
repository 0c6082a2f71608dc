// The interface through which all other code calls the Kubernetes API.
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

/// The type of an asynchronous call's result.
template <class T>
using Async = boost::asio::awaitable<Result<T>>;

/// The lines of one watch. Its destructor ends the watch.
class WatchStream {
  public:
    WatchStream() = default;
    WatchStream(const WatchStream&) = delete;
    WatchStream& operator=(const WatchStream&) = delete;
    virtual ~WatchStream() = default;
    /// Returns the next line, or nullopt if the server ended the stream in order. After nullopt or
    /// an error, the stream is over. Errors: Timeout if no line arrives for `idle_max`; Canceled;
    /// Unavailable if the stream breaks; Invalid if a line is too long.
    virtual Async<std::optional<std::string>> next_line(Duration idle_max) = 0;
};

/// The Kubernetes API as JSON texts. Every call ends by its timeout, and ends at once with Canceled
/// if its coroutine is cancelled. Errors: the server's Status by its reason, kept whole in
/// Error::status; Unavailable if the server cannot be reached; Timeout. Thread: that of the
/// executor it runs on.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    /// Returns the object as JSON.
    virtual Async<std::string> get(ResourcePath path, GetOptions options = {}) = 0;
    /// Returns one page of the collection as JSON (decode_list_page() splits it).
    virtual Async<std::string> list(ResourcePath path, ListOptions options = {}) = 0;
    /// Creates an object in the collection `path`, or a subresource of a named object. Returns the
    /// object as stored.
    virtual Async<std::string> create(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// Replaces the whole object or subresource (PUT). Only for objects that Sluice owns entirely.
    virtual Async<std::string> update(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// Applies a JSON merge patch to the object or subresource. If the body has
    /// `metadata.resourceVersion`, the call fails with Conflict if the object has changed since
    /// that version.
    virtual Async<std::string> merge_patch(
        ResourcePath path, std::string body, WriteOptions options = {}
    ) = 0;
    /// Applies fields by server-side apply: the field manager then owns exactly the fields in the
    /// body. Requires: a field manager; apiVersion, kind and metadata.name in the body.
    virtual Async<std::string> apply(ResourcePath path, std::string body, ApplyOptions options) = 0;
    /// Deletes the object. Returns the object if finalizers delay its deletion, else a Status.
    virtual Async<std::string> remove(ResourcePath path, DeleteOptions options = {}) = 0;
    /// Opens a watch on the collection.
    virtual Async<std::unique_ptr<WatchStream>> watch(ResourcePath path, WatchOptions options) = 0;
    /// Sends GET to any path of the server: discovery ("/apis/batch/v1"), "/version", "/readyz".
    virtual Async<std::string> get_raw(std::string target, GetOptions options = {}) = 0;
};

}  // namespace sluice::kube
