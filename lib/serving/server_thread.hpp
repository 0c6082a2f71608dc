#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::serving {

/// A thread with servers on it, so that no work of another loop holds them up, nor do they hold up
/// that work.
class ServerThread {
  public:
    /// The name is that of the thread, as debuggers show it (15 characters).
    explicit ServerThread(const std::string& name);
    /// As join().
    ~ServerThread();
    ServerThread(const ServerThread&) = delete;
    ServerThread& operator=(const ServerThread&) = delete;

    /// Listens at once. Errors: those of net::HttpServer::start.
    /// Lifetime: the server is there until join().
    Result<net::HttpServer*> listen(
        std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options
    );
    /// Takes no more connections, lets running requests finish for at most `grace`.
    /// Thread: any but its own; it waits.
    void stop(Duration grace);
    /// Ends the thread, then its servers; what they still answer is given up.
    void join();

  private:
    struct Served {
        std::shared_ptr<net::HttpHandler> handler;
        std::unique_ptr<net::HttpServer> server;
    };
    net::LoopThread thread_;
    std::vector<Served> served_;
};

/// `[::1]:8081`, `127.0.0.1:8081` or `:8081`. Errors: Invalid.
struct BindAddress {
    std::string address;  ///< "": all
    std::uint16_t port = 0;
};
Result<BindAddress> parse_bind_address(const std::string& text);

}  // namespace sluice::serving
