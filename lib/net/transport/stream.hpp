// A TLS or plain byte stream: connects, accepts, reads and writes with a deadline.
#pragma once

#include "base/clock.hpp"
#include "base/deadline.hpp"
#include "base/error.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/tls.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::net {

/// A connected byte stream, TLS or plain. Hides Asio's templates from other code. Errors of all
/// calls: Timeout, Canceled, Unavailable.
class Stream {
  public:
    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    virtual ~Stream() = default;
    /// Sets the deadline of all later reads and writes. When it passes, the stream is closed.
    virtual void expires_at(Deadline deadline) = 0;
    void expires_after(Duration limit) { expires_at(Deadline::after(limit)); }
    /// Waits until a read would return: bytes, the end or an error. Holds no buffer while it waits,
    /// so use it to wait on idle connections.
    virtual boost::asio::awaitable<Result<void>> wait_readable() = 0;
    /// Reads at least one byte; returns 0 at the orderly end. Lifetime: the buffer must outlive the
    /// call.
    virtual boost::asio::awaitable<Result<std::size_t>> read_some(
        char* buffer, std::size_t size
    ) = 0;
    /// Writes all bytes. Lifetime: the bytes must outlive the call.
    virtual boost::asio::awaitable<Result<void>> write(std::string_view bytes) = 0;
    /// Ends the TLS session (close_notify), then closes.
    virtual boost::asio::awaitable<void> shutdown() = 0;
    virtual void close() noexcept = 0;
    /// Returns true if an idle connection can still be used: it is open, and the peer has sent
    /// nothing.
    virtual bool is_reusable() = 0;
    /// The certificates that the peer sent, as PEM, leaf first; null without certificates or TLS.
    virtual std::shared_ptr<const std::string> peer_certificates() const { return nullptr; }
};

/// The server to connect to. `host` is a name, or an IP address without brackets.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
    std::shared_ptr<TlsContext> tls;  ///< null: no TLS
    std::optional<Proxy> proxy{};     ///< opens a tunnel to the host; if nullopt, connect directly
};

/// Resolves the host, connects, and makes the TLS handshake, all before the deadline. If a name has
/// several addresses, they are tried in order. A proxy resolves the host itself. Errors:
/// Unavailable with the reason (unknown host, refused, untrusted or wrong certificate, the proxy's
/// response), Timeout, Canceled.
boost::asio::awaitable<Result<std::unique_ptr<Stream>>> connect(
    Endpoint endpoint, Deadline deadline
);

/// Accepts connections on one port.
class Listener {
  public:
    /// Listens on an address; port 0 takes any free port. Errors: Invalid for the address;
    /// Unavailable.
    static Result<std::unique_ptr<Listener>> open(
        const boost::asio::any_io_executor& executor, const std::string& address, std::uint16_t port
    );
    /// Uses a socket that already listens. Errors: Unavailable.
    static Result<std::unique_ptr<Listener>> adopt(
        const boost::asio::any_io_executor& executor, int socket
    );
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual std::uint16_t port() const = 0;
    /// An accepted connection, before its TLS handshake.
    struct Accepted {
        std::unique_ptr<Stream> stream;
        std::string peer;  ///< address and port
        /// The key by which the peer's connections are counted. For IPv6 it is the first 64 bits,
        /// because one machine usually has the whole /64 network.
        std::string address;
    };
    /// Accepts the next connection. `tls` is read when the connection has arrived (null: plain).
    /// Errors: Canceled; Unavailable for a temporary lack (file descriptors): wait a little and
    /// retry.
    virtual boost::asio::awaitable<Result<Accepted>> accept(const std::shared_ptr<TlsContext>* tls
    ) = 0;
    virtual void close() noexcept = 0;
};

/// Makes the server's side of the TLS handshake; does nothing for a plain stream.
boost::asio::awaitable<Result<void>> shake_hands_as_server(Stream* stream);

}  // namespace sluice::net
