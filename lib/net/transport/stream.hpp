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

/// A connected byte stream, TLS or plain; the border behind which Asio's templates stay.
/// Errors of all: Timeout, Canceled, Unavailable.
class Stream {
  public:
    Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    virtual ~Stream() = default;
    /// By when all following reads and writes must finish; after it the stream is closed.
    virtual void expires_at(Deadline deadline) = 0;
    void expires_after(Duration limit) { expires_at(Deadline::after(limit)); }
    /// Waits until a read would find something: bytes, the end or an error. Holds no buffer
    /// meanwhile, which is how to wait on connections that are idle.
    virtual boost::asio::awaitable<Result<void>> wait_readable() = 0;
    /// Reads at least one byte; 0 is the orderly end. Lifetime: the buffer must outlive the call.
    virtual boost::asio::awaitable<Result<std::size_t>> read_some(
        char* buffer, std::size_t size
    ) = 0;
    /// Writes all. Lifetime: the bytes must outlive the call.
    virtual boost::asio::awaitable<Result<void>> write(std::string_view bytes) = 0;
    /// Says goodbye to the other side (close_notify), then closes.
    virtual boost::asio::awaitable<void> shutdown() = 0;
    virtual void close() noexcept = 0;
    /// Whether an idle connection can still be used: open, and the other side sent nothing.
    virtual bool is_reusable() = 0;
    /// The certificates that the other side showed, PEM, leaf first; null: none, or no TLS.
    virtual std::shared_ptr<const std::string> peer_certificates() const { return nullptr; }
};

/// Where to connect to. Host is a name or an IP address without brackets.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
    std::shared_ptr<TlsContext> tls;  ///< null: plain
    std::optional<Proxy> proxy{};     ///< opens a tunnel to the host; none: it is reached directly
};

/// Resolves, connects and shakes hands, all before the deadline. Names resolve to several
/// addresses, which are tried in order; behind a proxy it is the proxy that resolves the host.
/// Errors: Unavailable with the reason (unknown host, refused, untrusted or wrong certificate, what
/// the proxy answered), Timeout, Canceled.
boost::asio::awaitable<Result<std::unique_ptr<Stream>>> connect(
    Endpoint endpoint, Deadline deadline
);

/// Accepts connections on one port.
class Listener {
  public:
    static Result<std::unique_ptr<Listener>> open(
        const boost::asio::any_io_executor& executor, const std::string& address, std::uint16_t port
    );
    /// Takes over a socket that listens. Errors: Unavailable.
    static Result<std::unique_ptr<Listener>> adopt(
        const boost::asio::any_io_executor& executor, int socket
    );
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;
    virtual std::uint16_t port() const = 0;
    /// The next connection, not yet shaken hands. Errors: Canceled; Unavailable for a passing lack
    /// (file descriptors): wait a little and go on.
    struct Accepted {
        std::unique_ptr<Stream> stream;
        std::string peer;  ///< address and port
        /// The address that stands for the peer where its connections are counted: of IPv6 the
        /// first 64 bits, as one machine has all that begin so.
        std::string address;
    };
    /// `tls` is read when the connection has come (null: plain).
    virtual boost::asio::awaitable<Result<Accepted>> accept(const std::shared_ptr<TlsContext>* tls
    ) = 0;
    virtual void close() noexcept = 0;
};

/// The server's side of the TLS handshake; nothing to do for a plain stream.
boost::asio::awaitable<Result<void>> shake_hands_as_server(Stream* stream);

}  // namespace sluice::net
