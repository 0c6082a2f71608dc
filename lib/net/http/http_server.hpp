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

/// A request whose body has come whole.
struct ServerRequest {
    std::string method;
    std::string target;  ///< path and query as sent
    HttpHeaders headers;
    SpooledBody body;
    std::string peer;  ///< address and port of the other side
    /// What the client showed of itself in the TLS handshake, PEM, leaf first, checked by no one
    /// yet: see verify_client_certificate(). Null: nothing, or the server does not ask for it.
    std::shared_ptr<const std::string> client_certificates{};

    /// The target without its query.
    std::string_view path() const;
    /// The value of a query parameter, percent decoded, or "".
    std::string query(std::string_view name) const;
};

/// A body that comes piece by piece, for as long as it takes. Thread: the loop's.
class BodyStream {
  public:
    BodyStream() = default;
    BodyStream(const BodyStream&) = delete;
    BodyStream& operator=(const BodyStream&) = delete;
    virtual ~BodyStream() = default;
    /// The next piece, not empty; nothing at the end. Waits for as long as there is none.
    /// Cancellation: when the server stops or the client has gone.
    virtual boost::asio::awaitable<std::optional<std::string>> next() = 0;
};

struct ServerResponse {
    int status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body{};
    HttpHeaders headers{};  ///< beyond Content-Type and Content-Length
    /// Sent instead of `body` unless it is empty: for answers that may be large.
    SpooledBody spooled{};
    /// Sent instead of both, in chunks, when it is there: each piece within the write timeout, the
    /// whole without a limit. The connection is closed after it.
    std::shared_ptr<BodyStream> stream{};
    /// Destroyed with the answer, when it has been sent or dropped.
    std::shared_ptr<void> held{};

    std::size_t size() const { return spooled.size() > 0 ? spooled.size() : body.size(); }
};

/// What becomes of a request by its head, before anything of its body is kept.
struct HeadVerdict {
    /// The answer that it gets instead of the handler's; its body is then not kept.
    std::optional<ServerResponse> refusal{};
    /// How long its body may be, beside the server's own limit; 0: it may have none.
    std::size_t body_bytes_max = static_cast<std::size_t>(-1);
    /// The answer to a longer body; none: a plain 413.
    std::optional<ServerResponse> too_large{};
};

/// Answers requests. Lifetime: must outlive the server.
class HttpHandler {
  public:
    HttpHandler() = default;
    HttpHandler(const HttpHandler&) = delete;
    HttpHandler& operator=(const HttpHandler&) = delete;
    virtual ~HttpHandler() = default;
    /// Thread: that of the server's loop. Many requests are answered at a time there, so no call
    /// may block. Cancellation: when the server stops.
    virtual boost::asio::awaitable<ServerResponse> handle(ServerRequest request) = 0;
    /// Asked when a request's head is there. As it is, all are taken. Thread: as handle().
    virtual HeadVerdict judge_head(std::string_view /*method*/, std::string_view /*path*/) const {
        return {};
    }
};

struct ServerOptions {
    std::string address =
        "::";  ///< an IP address; "::" takes IPv4 too; "" is "::", or "0.0.0.0" without IPv6
    std::uint16_t port = 0;  ///< 0: any free one
    /// Listened on instead by the first server that is started with it.
    std::shared_ptr<ListeningSocket> socket{};
    bool tls = true;
    std::string certificate_pem;  ///< chain, leaf first; needed with tls
    std::string private_key_pem;
    std::string minimum_tls_version = "VersionTLS12";  ///< or VersionTLS13
    std::vector<std::string> tls_cipher_suites{};      ///< as TlsServerOptions has them
    std::vector<int> tls_curves{};
    bool ask_client_certificate = false;  ///< as TlsServerOptions has it
    /// For one more, another that waits for its peer is closed: of the peer with the most of them
    /// the longest idle one or the oldest half-made handshake, else the request that has been
    /// coming the longest. Where all are being answered, the new one is closed.
    std::size_t connections_max = 10'000;
    /// The same for those of one peer address (of IPv6: of one /64 network).
    std::size_t connections_per_peer_max = 2'500;
    std::size_t header_bytes_max = std::size_t{64} * 1024;
    std::size_t body_bytes_max = std::size_t{256} * 1024 * 1024;
    /// Of request bodies and answers together that have come or are not yet sent; what goes beyond
    /// it is answered with 503 and Retry-After.
    std::size_t bytes_in_flight_max = std::size_t{512} * 1024 * 1024;
    std::size_t body_bytes_in_memory = std::size_t{1024} * 1024;  ///< beyond, a body goes to a file
    Duration header_timeout =
        std::chrono::seconds(10);  ///< TLS handshake; first byte to end of headers
    Duration idle_timeout = std::chrono::seconds(120);   ///< before a request
    Duration body_timeout = std::chrono::seconds(120);   ///< the whole body
    Duration handle_timeout = std::chrono::seconds(60);  ///< the handler; then the answer is 504
    Duration write_timeout = std::chrono::seconds(120);  ///< the whole answer
};

/// An HTTP/1.1 server over TLS or plain TCP with keep-alive. A request that breaks a limit gets its
/// 4xx answer and the connection is closed; a handler that takes too long gives 504. A connection
/// that waits for its next request holds no buffers.
/// Lifetime: the loop and the handler must outlive it.
class HttpServer {
  public:
    /// Listens at once, so that port() is known and no early client is refused; connections are
    /// taken and answered on the loop's thread. Errors: Invalid for the address, certificate or
    /// key; Unavailable when the address is taken.
    static Result<std::unique_ptr<HttpServer>> start(
        EventLoop& loop, HttpHandler& handler, ServerOptions options
    );
    /// Stops hard what stop() has not ended. Requires: the loop does not run any more, or the call
    /// is made on its thread.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// The port listened on.
    std::uint16_t port() const;
    /// Takes another certificate for connections accepted from now on. Errors: Invalid; the old one
    /// then stays. Thread: any.
    Result<void> set_certificate(
        const std::string& certificate_pem, const std::string& private_key_pem
    );
    /// Accepts no more, lets running requests finish for at most `grace`, then closes all.
    boost::asio::awaitable<void> stop(Duration grace);
    /// Open connections. Thread: the loop's.
    std::size_t connections() const;

  private:
    class Impl;
    explicit HttpServer(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> impl_;
};

}  // namespace sluice::net
