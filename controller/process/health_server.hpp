#pragma once

#include "base/error.hpp"
#include "net/event_loop.hpp"
#include "net/http_server.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace sluice::controller {

/// Answers GET for a few paths with text that a function makes.
class TextServer {
  public:
    /// Makes the answer. Thread: that of the loop.
    using Answer = std::function<net::ServerResponse()>;

    TextServer(net::EventLoop& loop, std::map<std::string, Answer> answers);
    ~TextServer();
    TextServer(const TextServer&) = delete;
    TextServer& operator=(const TextServer&) = delete;

    /// Listens on `address:port`, `:port` being all addresses. An empty certificate serves plain
    /// HTTP. Errors: Invalid for the address, Unavailable when it is taken.
    Result<void> start(const std::string& bind_address, const net::ServerOptions& options);
    std::uint16_t port() const { return server_ ? server_->port() : std::uint16_t{0}; }
    boost::asio::awaitable<void> stop();

  private:
    class Handler;
    net::EventLoop& loop_;
    std::unique_ptr<Handler> handler_;
    std::unique_ptr<net::HttpServer> server_;
};

/// `[::1]:8081`, `127.0.0.1:8081` or `:8081`. Errors: Invalid.
struct BindAddress {
    std::string address;  ///< "" : all
    std::uint16_t port = 0;
};
Result<BindAddress> parse_bind_address(const std::string& text);

}  // namespace sluice::controller
