// A thread with HTTP servers on it, and the parser of bind addresses.
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

/// A thread for servers, so that they and the work of other loops do not delay each other.
class ServerThread {
  public:
    /// `name` is the thread's name, as debuggers show it (at most 15 characters).
    explicit ServerThread(const std::string& name);
    /// Calls join().
    ~ServerThread();
    ServerThread(const ServerThread&) = delete;
    ServerThread& operator=(const ServerThread&) = delete;

    /// Starts a server, which listens at once. Errors: those of net::HttpServer::start. Lifetime:
    /// the server exists until join().
    Result<net::HttpServer*> listen(
        std::shared_ptr<net::HttpHandler> handler, net::ServerOptions options
    );
    /// Accepts no more connections and lets running requests finish for at most `grace`. Thread:
    /// any but its own; the call waits.
    void stop(Duration grace);
    /// Ends the thread, then its servers; aborts requests that are still running.
    void join();

  private:
    struct Served {
        std::shared_ptr<net::HttpHandler> handler;
        std::unique_ptr<net::HttpServer> server;
    };
    net::LoopThread thread_;
    std::vector<Served> served_;
};

/// The parts of `[::1]:8081`, `127.0.0.1:8081` or `:8081`.
struct BindAddress {
    std::string address;  ///< "": all addresses
    std::uint16_t port = 0;
};
/// Parses a bind address. Errors: Invalid.
Result<BindAddress> parse_bind_address(const std::string& text);

}  // namespace sluice::serving
