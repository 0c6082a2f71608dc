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
    HttpHeaders headers;  ///< beyond Host and Content-Length
    std::string body;
    /// Asked when the connection is open, right before the first byte: an error refuses the
    /// request. Empty: it is sent.
    std::function<Result<void>()> before_send = {};
};

struct ClientResponse {
    int status = 0;
    HttpHeaders headers;
    std::string body;
};

/// What became of a request. `request_sent` false: not a byte of it can have reached the server, so
/// that even a write may be repeated.
struct HttpOutcome {
    Result<ClientResponse> response;
    bool request_sent = false;
    bool was_refused = false;  ///< by before_send, whose error is the response's
};

/// A response whose body is read as it comes. Destroying it closes the connection.
class ResponseStream {
  public:
    ResponseStream() = default;
    ResponseStream(const ResponseStream&) = delete;
    ResponseStream& operator=(const ResponseStream&) = delete;
    virtual ~ResponseStream() = default;
    virtual int status() const = 0;
    virtual const HttpHeaders& headers() const = 0;
    /// The next line without its end, or nothing at the end of the body.
    /// Errors: Timeout when nothing came for `idle_max`; Invalid for a line beyond the limit;
    /// Unavailable when the connection broke in the middle; Canceled.
    virtual boost::asio::awaitable<Result<std::optional<std::string>>> next_line(Duration idle_max
    ) = 0;
    /// The rest of the body, at most `bytes_max`, within `limit`.
    virtual boost::asio::awaitable<Result<std::string>> read_rest(
        std::size_t bytes_max, Duration limit
    ) = 0;
};

struct HttpClientOptions {
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 0;
    std::shared_ptr<TlsContext> tls;  ///< null: plain
    std::optional<Proxy> proxy{};     ///< none: the server is reached directly
    Duration connect_timeout = std::chrono::seconds(10);
    Duration idle_max = std::chrono::seconds(80);  ///< an unused connection is closed after it
    /// Of those that wait to be used again: as many as a wave of writes of the controller has.
    std::size_t idle_connections_max = 256;
    std::size_t header_bytes_max = std::size_t{64} * 1024;
    std::size_t body_bytes_max = std::size_t{256} * 1024 * 1024;  ///< of send(); a stream has none
    std::size_t line_bytes_max = std::size_t{32} * 1024 * 1024;
};

/// An HTTP/1.1 client of one server that keeps connections open and uses them again.
/// Errors: Unavailable, Timeout, Canceled, Invalid (an answer that is no HTTP or too large). Any
/// status is an answer, not an error. Thread: one.
class HttpClient {
  public:
    explicit HttpClient(HttpClientOptions options);
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Sends a request and reads the whole answer, all within `limit`. A reading request (GET,
    /// HEAD) that meets a connection which the server had just closed is repeated once on a new
    /// one.
    boost::asio::awaitable<HttpOutcome> send(ClientRequest request, Duration limit);
    /// Sends a request and returns when the answer's header has come, within `limit`.
    boost::asio::awaitable<Result<std::unique_ptr<ResponseStream>>> open(
        ClientRequest request, Duration limit
    );
    /// Uses another context for new connections and drops the idle ones.
    void set_tls(std::shared_ptr<TlsContext> tls);
    /// Connections that wait to be used again.
    std::size_t idle_connections() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
