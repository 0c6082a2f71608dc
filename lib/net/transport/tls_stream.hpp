// A TLS stream on a socket, without buffers while it is idle.
#pragma once

#include "net/transport/stream.hpp"
#include "net/transport/tcp_socket.hpp"
#include "net/transport/tls_context.hpp"

#include <cstdint>
#include <memory>
#include <string>

struct ssl_st;  // OpenSSL's SSL

namespace sluice::net {

/// TLS over a socket. OpenSSL reads and writes the socket itself, so that an idle stream has no
/// buffers; Asio's stream would hold four of 17 KiB each. Only net/*.cpp use it.
class TlsStream final : public Stream {
  public:
    TlsStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls);

    void expires_at(Deadline deadline) override { tcp_.expires_at(deadline); }
    boost::asio::awaitable<Result<void>> wait_readable() override;
    boost::asio::awaitable<Result<std::size_t>> read_some(char* buffer, std::size_t size) override;
    boost::asio::awaitable<Result<void>> write(std::string_view bytes) override;
    boost::asio::awaitable<void> shutdown() override;
    void close() noexcept override { tcp_.close(); }
    bool is_reusable() override;
    std::shared_ptr<const std::string> peer_certificates() const override;

    /// Sets the name or address that the server must prove, with SNI for names. Returns false if
    /// OpenSSL refuses it.
    bool expect_host(const std::string& host);
    enum class Side : std::uint8_t { Client, Server };
    /// Makes the TLS handshake. Errors: Unavailable with the reason, Timeout, Canceled.
    boost::asio::awaitable<Result<void>> shake_hands(Side side);

  private:
    enum class Call : std::uint8_t { ShakeHands, Read, Write, Shutdown };
    /// The buffer that a call reads into or writes from.
    struct Bytes {
        char* target = nullptr;
        const char* source = nullptr;
        std::size_t size = 0;
    };
    int call_openssl(Call call, Bytes bytes, std::size_t* moved);
    /// Repeats the call until it needs nothing more from the peer. Returns the bytes moved, 0 at
    /// the orderly end.
    boost::asio::awaitable<Result<std::size_t>> perform(Call call, Bytes bytes);
    Error take_error();

    using Ssl = std::unique_ptr<ssl_st, void (*)(ssl_st*)>;
    std::shared_ptr<TlsContext> tls_;
    TcpSocket tcp_;
    Ssl ssl_;
    bool is_broken_ = false;  // OpenSSL forbids close_notify then
};

}  // namespace sluice::net
