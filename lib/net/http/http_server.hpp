// An HTTPS or HTTP/1.1 server with limits, deadlines and a replaceable certificate.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_message.hpp"
#include "net/http/spooled_body.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::net {

class EventLoop;
class ListeningSocket;

/// A request with its whole body.
struct ServerRequest {
    std::string method;
    std::string target;  ///< path and query as sent
    HttpHeaders headers;
    SpooledBody body;
    std::string peer;  ///< address and port of the client
    /// The certificates that the client sent in the TLS handshake, as PEM, leaf first. They are not
    /// verified: see verify_client_certificate(). Null if the client sent none or the server does
    /// not ask for any.
    std::shared_ptr<const std::string> client_certificates{};

    /// Returns the target without its query.
    std::string_view path() const;
    /// Returns the value of a query parameter, percent-decoded; "" if it is missing.
    std::string query(std::string_view name) const;
};

/// A body that is produced piece by piece, over any length of time. Thread: the loop's.
class BodyStream {
  public:
    BodyStream() = default;
    BodyStream(const BodyStream&) = delete;
    BodyStream& operator=(const BodyStream&) = delete;
    virtual ~BodyStream() = default;
    /// Returns the next piece, which is not empty; nullopt at the end. Waits until a piece is
    /// available. Cancellation: when the server stops or the client has disconnected.
    virtual boost::asio::awaitable<std::optional<std::string>> next() = 0;
};

struct ServerResponse {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body{};
    HttpHeaders headers{};  ///< in addition to Content-Type and Content-Length
    /// Sent instead of `body` unless empty. For responses that may be large.
    SpooledBody spooled{};
    /// If set, sent in chunks instead of `body` and `spooled`: each piece within the write timeout,
    /// the whole without a limit. The connection is closed afterwards.
    std::shared_ptr<BodyStream> stream{};
    /// An object to keep alive until the response has been sent or dropped.
    std::shared_ptr<void> held{};

    std::size_t size() const { return spooled.size() > 0 ? spooled.size() : body.size(); }
};

/// The decision about a request by its head, before any part of its body is kept.
struct HeadVerdict {
    /// If set, the response instead of the handler's; the body is not kept.
    std::optional<ServerResponse> refusal{};
    /// Limit of the request's body, in addition to the server's own; 0: no body is allowed.
    std::size_t body_bytes_max = static_cast<std::size_t>(-1);
    /// The response if the body is longer. If nullopt, a plain 413.
    std::optional<ServerResponse> too_large{};
};

/// Answers requests. Lifetime: must outlive the server.
class HttpHandler {
  public:
    HttpHandler() = default;
    HttpHandler(const HttpHandler&) = delete;
    HttpHandler& operator=(const HttpHandler&) = delete;
    virtual ~HttpHandler() = default;
    /// Answers a request. The server's loop serves many requests at the same time, so no call may
    /// block. Thread: that of the server's loop. Cancellation: when the server stops.
    virtual boost::asio::awaitable<ServerResponse> handle(ServerRequest request) = 0;
    /// Decides about a request when its head has arrived. By default, every request is accepted.
    /// Thread: as handle().
    virtual HeadVerdict judge_head(std::string_view /*method*/, std::string_view /*path*/) const {
        return {};
    }
};

struct ServerOptions {
    std::string address =
        "::";  ///< an IP address; "::" takes IPv4 too; "" is "::", or "0.0.0.0" without IPv6
    std::uint16_t port = 0;  ///< 0: any free one
    /// If set, the first server that is started with it listens on this socket instead of address
    /// and port.
    std::shared_ptr<ListeningSocket> socket{};
    bool tls = true;
    std::string certificate_pem;  ///< chain, leaf first; needed with tls
    std::string private_key_pem;
    std::string minimum_tls_version = "VersionTLS12";  ///< or VersionTLS13
    std::vector<std::string> tls_cipher_suites{};      ///< as in TlsServerOptions
    std::vector<int> tls_curves{};
    bool ask_client_certificate = false;  ///< as in TlsServerOptions
    /// At this limit, a connection that waits for its peer is closed for a new one: of the peer
    /// with the most of them, the longest idle connection or the oldest unfinished handshake; else
    /// the request that has been received for longest. If all connections are being answered, the
    /// new one is closed.
    std::size_t connections_max = 10'000;
    /// The limit for one peer address (for IPv6: one /64 network); works like connections_max.
    std::size_t connections_per_peer_max = 2'500;
    std::size_t header_bytes_max = std::size_t{64} * 1024;
    std::size_t body_bytes_max = std::size_t{256} * 1024 * 1024;
    /// Limit of all bytes held for request bodies and unsent responses. Requests beyond it are
    /// answered with 503 and Retry-After.
    std::size_t bytes_in_flight_max = std::size_t{512} * 1024 * 1024;
    std::size_t body_bytes_in_memory = std::size_t{1024} * 1024;  ///< a larger body goes to a file
    Duration header_timeout =
        std::chrono::seconds(10);  ///< for the TLS handshake; from first byte to end of headers
    Duration idle_timeout = std::chrono::seconds(120);   ///< before a request
    Duration body_timeout = std::chrono::seconds(120);   ///< for the whole body
    Duration handle_timeout = std::chrono::seconds(60);  ///< limit of the handler; then 504
    Duration write_timeout = std::chrono::seconds(120);  ///< for the whole response
};

/// An HTTP/1.1 server over TLS or plain TCP with keep-alive. A request that breaks a limit gets a
/// 4xx response and its connection is closed; a handler that takes too long causes a 504. A
/// connection that waits for its next request holds no buffers. Lifetime: the loop and the handler
/// must outlive the server.
class HttpServer {
  public:
    /// Starts to listen at once, so that port() is known and no early client is refused.
    /// Connections are accepted and served on the loop's thread. Errors: Invalid if the address,
    /// certificate or key is bad; Unavailable if the address is in use.
    static Result<std::unique_ptr<HttpServer>> start(
        EventLoop& loop, HttpHandler& handler, ServerOptions options
    );
    /// Closes all connections that stop() has not ended. Requires: the loop no longer runs, or the
    /// call is made on its thread.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// The port that the server listens on.
    std::uint16_t port() const;
    /// Uses another certificate for connections accepted from now on. Errors: Invalid; the old
    /// certificate then stays. Thread: any.
    Result<void> set_certificate(
        const std::string& certificate_pem, const std::string& private_key_pem
    );
    /// Accepts no more connections, lets running requests finish for at most `grace`, then closes
    /// all.
    boost::asio::awaitable<void> stop(Duration grace);
    /// The number of open connections. Thread: the loop's.
    std::size_t connections() const;

  private:
    class Impl;
    explicit HttpServer(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::net
