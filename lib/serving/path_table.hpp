// Maps paths to methods, body limits and handlers; refuses all other requests.
#pragma once

#include "net/http/http_server.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::serving {

/// Maps each path that a server answers to its methods, the limit of its body, and its handler. All
/// other requests are refused by their head, before their body is read: 404 for an unknown path,
/// 405 with Allow for a wrong method, 413 for a body that is too long. Thread: filled before it is
/// served; then read on the server's.
class PathTable final : public net::HttpHandler {
  public:
    struct Entry {
        std::vector<std::string> methods;
        std::size_t body_bytes_max = 0;  ///< in addition to the server's limit; 0: no body
        /// May share with other threads only immutable or thread-safe objects: atomics, snapshots
        /// by shared_ptr<const T>, a metrics::Registry.
        std::shared_ptr<net::HttpHandler> handler;
    };
    /// Makes the response. Thread: the server's, as for Entry::handler.
    using MakePage = std::function<net::ServerResponse()>;

    /// Adds a path. Requires: the path is new.
    void add(std::string path, Entry entry);
    /// Adds an entry for all paths with the prefix that have no entry of their own. Requires: the
    /// prefix is new, and not a prefix of another one.
    void add_prefix(std::string prefix, Entry entry);
    /// Adds a page for GET and HEAD.
    void add_page(std::string path, MakePage make);
    /// Adds a review for POST, as webhooks are called. `body_bytes_max` applies in addition to the
    /// server's limit.
    void add_review(
        std::string path, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
    );
    /// Adds a review for all paths with the prefix that have no entry of their own.
    void add_reviews(
        std::string prefix, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
    );

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override;

  private:
    /// Returns the entry of the path, or of a prefix of it; nullptr if neither exists.
    const Entry* find(std::string_view path) const;

    std::map<std::string, Entry, std::less<>> entries_;
    std::map<std::string, Entry, std::less<>> prefixes_;
};

}  // namespace sluice::serving
