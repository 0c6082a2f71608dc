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

/// What a server answers: by path, which methods it takes, how long a body may be, and which
/// handler makes the answer. All else is refused by the head of the request, before its body is
/// read: 404 for another path, 405 with Allow for another method, 413 for too long a body.
/// Thread: filled before it is served; then read on the server's.
class PathTable final : public net::HttpHandler {
  public:
    struct Entry {
        std::vector<std::string> methods;
        std::size_t body_bytes_max = 0;  ///< beside the server's own limit; 0: no body
        /// Shares nothing with other threads but what is immutable or made for it: atomics,
        /// snapshots by shared_ptr<const T>, a metrics::Registry.
        std::shared_ptr<net::HttpHandler> handler;
    };
    /// Makes a page. Thread: the server's, as for Entry::handler.
    using MakePage = std::function<net::ServerResponse()>;

    /// Requires: the path is new.
    void add(std::string path, Entry entry);
    /// All paths that begin so and were not added. Requires: the prefix is new, and begins no
    /// other.
    void add_prefix(std::string prefix, Entry entry);
    /// A page to GET.
    void add_page(std::string path, MakePage make);
    /// A review that is asked for by POST, as webhooks are; beside `body_bytes_max` the server's
    /// limit holds.
    void add_review(
        std::string path, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
    );
    /// The same for all paths that begin so and were not added.
    void add_reviews(
        std::string prefix, std::shared_ptr<net::HttpHandler> handler, std::size_t body_bytes_max
    );

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override;

  private:
    /// Of the path, or of the prefix that it has; nullptr: there is none.
    const Entry* find(std::string_view path) const;

    std::map<std::string, Entry, std::less<>> entries_;
    std::map<std::string, Entry, std::less<>> prefixes_;
};

}  // namespace sluice::serving
