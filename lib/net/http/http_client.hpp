// An HTTP/1.1 client of one server: keep-alive, deadlines, streams of lines.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/http/http_message.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/tls.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sluice::net {

struct ClientRequest {
    std::string method = "GET";
    std::string target = "/";
    HttpHeaders headers;  ///< in addition to Host and Content-Length
    std::string body;
    /// Called when the connection is open, right before the first byte. If it returns an error, the
    /// request is not sent. May be empty.
    std::function<Result<void>()> before_send = {};
};

struct ClientResponse {
    int status = 0;
    HttpHeaders headers;
    std::string body;
};

/// The outcome of a request. If `request_sent` is false, no byte of it can have reached the server,
/// so even a write may be repeated.
struct HttpOutcome {
    Result<ClientResponse> response;
    bool request_sent = false;
    bool was_refused = false;  ///< by before_send, whose error is `response`
};

/// A response whose body is read while it arrives. Its destructor closes the connection.
class ResponseStream {
  public:
    ResponseStream() = default;
    ResponseStream(const ResponseStream&) = delete;
    ResponseStream& operator=(const ResponseStream&) = delete;
    virtual ~ResponseStream() = default;
    virtual int status() const = 0;
    virtual const HttpHeaders& headers() const = 0;
    /// Returns the next line without its end, or nullopt at the end of the body. Errors: Timeout if
    /// nothing arrives for `idle_max`; Invalid if a line exceeds the limit; Unavailable if the
    /// connection breaks before the end; Canceled.
    virtual boost::asio::awaitable<Result<std::optional<std::string>>> next_line(Duration idle_max
    ) = 0;
    /// Returns the rest of the body, read within `limit`. Errors: Invalid if it has more than
    /// `bytes_max` bytes; Unavailable; Timeout; Canceled.
    virtual boost::asio::awaitable<Result<std::string>> read_rest(
        std::size_t bytes_max, Duration limit
    ) = 0;
};

struct HttpClientOptions {
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 0;
    std::shared_ptr<TlsContext> tls;  ///< null: plain HTTP
    std::optional<Proxy> proxy{};     ///< if nullopt, connect directly
    Duration connect_timeout = std::chrono::seconds(10);
    Duration idle_max = std::chrono::seconds(80);  ///< an idle connection is closed after this
    /// Idle connections that are kept: as many as a wave of the controller's writes needs.
    std::size_t idle_connections_max = 256;
    std::size_t header_bytes_max = std::size_t{64} * 1024;
    std::size_t body_bytes_max = std::size_t{256} * 1024 * 1024;  ///< for send(), not for streams
    std::size_t line_bytes_max = std::size_t{32} * 1024 * 1024;
};

/// An HTTP/1.1 client of one server that keeps connections open and uses them again. Any status is
/// a response, not an error. Errors: Unavailable, Timeout, Canceled, Invalid (the response is not
/// HTTP or is too large). Thread: one.
class HttpClient {
  public:
    explicit HttpClient(HttpClientOptions options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Sends a request and reads the whole response, all within `limit`. A GET or HEAD request is
    /// repeated once on a new connection if the server has just closed the one it was sent on.
    boost::asio::awaitable<HttpOutcome> send(ClientRequest request, Duration limit);
    /// Sends a request and returns when the response's header has arrived, within `limit`.
    boost::asio::awaitable<Result<std::unique_ptr<ResponseStream>>> open(
        ClientRequest request, Duration limit
    );
    /// Uses another context for new connections and drops the idle ones.
    void set_tls(std::shared_ptr<TlsContext> tls);
    /// The number of idle connections.
    std::size_t idle_connections() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
