#include "net/stream.hpp"

#include "net/event_loop.hpp"
#include "net/tls_context.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::net {
namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

Error to_error(const boost::system::error_code& code) {
    if (code == beast::error::timeout) {
        return Error{ErrorCode::Timeout, "not finished in time", {}};
    }
    if (code == asio::error::operation_aborted) {
        return Error{ErrorCode::Canceled, "canceled", {}};
    }
    return Error{ErrorCode::Unavailable, code.message(), {}};
}

/// Whether an idle socket is open and silent. Session tickets of TLS 1.3 come before the first
/// answer, so a TLS peer that has answered once is silent too.
bool is_silent(tcp::socket& socket) {
    char byte = 0;
    const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return socket.is_open() && got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Error canceled() {
    return Error{ErrorCode::Canceled, "canceled", {}};
}

template <class Layer>
asio::awaitable<Result<std::size_t>> read_from(Layer* layer, char* buffer, std::size_t size) {
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return canceled();
    }
    const auto target = asio::buffer(buffer, size);
    const auto [code, bytes] = co_await layer->async_read_some(target, kAsTuple);
    if (!code) {
        co_return bytes;
    }
    // A TLS peer that drops the connection without its goodbye may be an attacker who cuts a
    // message short, so that is an error (stream truncated) and no end.
    if (code == asio::error::eof) {
        co_return std::size_t{0};
    }
    co_return to_error(code);
}

template <class Layer>
asio::awaitable<Result<void>> write_to(Layer* layer, std::string_view bytes) {
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return canceled();
    }
    const auto source = asio::buffer(bytes.data(), bytes.size());
    const auto [code, written] = co_await asio::async_write(*layer, source, kAsTuple);
    if (code) {
        co_return to_error(code);
    }
    co_return Result<void>();
}

class PlainStream final : public Stream {
  public:
    explicit PlainStream(beast::tcp_stream tcp) : tcp_(std::move(tcp)) {}
    void expires_at(Deadline deadline) override { tcp_.expires_at(deadline.at()); }
    asio::awaitable<Result<std::size_t>> read_some(char* buffer, std::size_t size) override {
        return read_from(&tcp_, buffer, size);
    }
    asio::awaitable<Result<void>> write(std::string_view bytes) override {
        return write_to(&tcp_, bytes);
    }
    asio::awaitable<void> shutdown() override {
        boost::system::error_code ignored;
        tcp_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        tcp_.close();
        co_return;
    }
    void close() noexcept override { tcp_.close(); }
    bool is_reusable() override { return is_silent(tcp_.socket()); }

  private:
    beast::tcp_stream tcp_;
};

class TlsStream final : public Stream {
  public:
    TlsStream(beast::tcp_stream tcp, std::shared_ptr<TlsContext> tls)
        : tls_(std::move(tls)), ssl_(std::move(tcp), tls_->context) {}
    void expires_at(Deadline deadline) override { ssl_.next_layer().expires_at(deadline.at()); }
    asio::awaitable<Result<std::size_t>> read_some(char* buffer, std::size_t size) override {
        return read_from(&ssl_, buffer, size);
    }
    asio::awaitable<Result<void>> write(std::string_view bytes) override {
        return write_to(&ssl_, bytes);
    }
    asio::awaitable<void> shutdown() override {
        co_await ssl_.async_shutdown(kAsTuple);
        close();
    }
    void close() noexcept override { ssl_.next_layer().close(); }
    bool is_reusable() override { return is_silent(ssl_.next_layer().socket()); }

    /// The name or address that the server must prove, with SNI for names. False: OpenSSL refused
    /// it.
    bool expect_host(const std::string& host) {
        boost::system::error_code not_an_address;
        asio::ip::make_address(host, not_an_address);
        auto* ssl = ssl_.native_handle();
        if (!not_an_address) {
            return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
        }
        SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        // SSL_set_tlsext_host_name is a macro with an old-style cast; this is what it stands for.
        std::string name = host;
        return SSL_ctrl(
                   ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()
               ) == 1 &&
               SSL_set1_host(ssl, host.c_str()) == 1;
    }

    asio::awaitable<Result<void>> shake_hands(asio::ssl::stream_base::handshake_type type) {
        const auto [code] = co_await ssl_.async_handshake(type, kAsTuple);
        if (!code) {
            co_return Result<void>();
        }
        auto error = to_error(code);
        const auto verified = SSL_get_verify_result(ssl_.native_handle());
        if (verified != X509_V_OK) {
            error.detail = std::string("TLS: certificate not accepted: ") +
                           X509_verify_cert_error_string(verified);
        } else if (error.code == ErrorCode::Unavailable) {
            error.detail = "TLS handshake: " + error.detail;
        }
        co_return error;
    }

  private:
    std::shared_ptr<TlsContext> tls_;
    asio::ssl::stream<beast::tcp_stream> ssl_;
};

/// getaddrinfo cannot be interrupted, so the caller does not wait for it but for a timer that the
/// answer cancels; the answer's memory is shared with it.
struct Resolution {
    explicit Resolution(const asio::any_io_executor& executor)
        : resolver(executor), timer(executor) {}
    tcp::resolver resolver;
    asio::steady_timer timer;
    boost::system::error_code error = asio::error::timed_out;
    std::vector<tcp::endpoint> endpoints;
};

asio::awaitable<Result<std::vector<tcp::endpoint>>> resolve(
    std::string host, std::uint16_t port, Deadline deadline
) {
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) {
        co_return std::vector<tcp::endpoint>{tcp::endpoint(address, port)};
    }
    const auto executor = co_await asio::this_coro::executor;
    auto shared = std::make_shared<Resolution>(executor);
    shared->timer.expires_at(deadline.at());
    shared->resolver.async_resolve(
        host,
        std::to_string(port),
        tcp::resolver::numeric_service,
        [shared](
            const boost::system::error_code& code, const tcp::resolver::results_type& results
        ) {
            shared->error = code;
            for (const auto& result : results) {
                shared->endpoints.push_back(result.endpoint());
            }
            shared->timer.cancel();
        }
    );
    co_await shared->timer.async_wait(kAsTuple);
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return canceled();
    }
    if (shared->error == asio::error::timed_out) {
        co_return Error{ErrorCode::Timeout, "host name " + host + " was not resolved in time", {}};
    }
    if (shared->error || shared->endpoints.empty()) {
        co_return Error{
            ErrorCode::Unavailable, "host name " + host + ": " + shared->error.message(), {}
        };
    }
    co_return std::move(shared->endpoints);
}

/// A peer that is gone without a word is noticed within about a minute, on streams that only read
/// (probes) as on those that write (unacknowledged bytes).
void set_socket_options(tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    const std::array<std::tuple<int, int>, 4> options{{
        {TCP_KEEPIDLE, 15},
        {TCP_KEEPINTVL, 15},
        {TCP_KEEPCNT, 3},
        {TCP_USER_TIMEOUT, 60'000},
    }};
    for (const auto& [option, value] : options) {
        ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
    }
}

class TcpListener final : public Listener {
  public:
    explicit TcpListener(tcp::acceptor acceptor) : acceptor_(std::move(acceptor)) {}
    std::uint16_t port() const override {
        boost::system::error_code ignored;
        return acceptor_.local_endpoint(ignored).port();
    }
    asio::awaitable<Result<Accepted>> accept(const std::shared_ptr<TlsContext>* tls) override {
        auto [code, socket] = co_await acceptor_.async_accept(kAsTuple);
        if (code) {
            co_return to_error(code);
        }
        boost::system::error_code ignored;
        const auto remote = socket.remote_endpoint(ignored);
        set_socket_options(socket);
        Accepted accepted;
        accepted.peer = remote.address().to_string() + " port " + std::to_string(remote.port());
        beast::tcp_stream tcp(std::move(socket));
        if (tls != nullptr && *tls) {
            accepted.stream = std::make_unique<TlsStream>(std::move(tcp), *tls);
        } else {
            accepted.stream = std::make_unique<PlainStream>(std::move(tcp));
        }
        co_return accepted;
    }
    void close() noexcept override {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
    }

  private:
    tcp::acceptor acceptor_;
};

/// Opens, binds and listens; the first failing step's error.
boost::system::error_code listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
    boost::system::error_code code;
    acceptor.open(endpoint.protocol(), code);
    if (!code) {
        acceptor.set_option(asio::socket_base::reuse_address(true), code);
    }
    if (!code && endpoint.address().is_v6()) {
        acceptor.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), code);
    }
    if (!code) {
        acceptor.bind(endpoint, code);
    }
    if (!code) {
        acceptor.listen(asio::socket_base::max_listen_connections, code);
    }
    return code;
}

}  // namespace

asio::awaitable<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return canceled();
    }
    const auto where = endpoint.host + " port " + std::to_string(endpoint.port);
    const auto executor = co_await asio::this_coro::executor;
    beast::tcp_stream tcp(executor);
    tcp.expires_at(deadline.at());
    const auto addresses = co_await resolve(endpoint.host, endpoint.port, deadline);
    if (!addresses) {
        co_return addresses.error();
    }
    const auto [code, connected] = co_await tcp.async_connect(*addresses, kAsTuple);
    if (code) {
        co_return with_context(to_error(code), "connecting to " + where);
    }
    set_socket_options(tcp.socket());
    if (!endpoint.tls) {
        co_return std::make_unique<PlainStream>(std::move(tcp));
    }
    auto stream = std::make_unique<TlsStream>(std::move(tcp), endpoint.tls);
    const auto name = endpoint.tls->server_name.empty() ? endpoint.host : endpoint.tls->server_name;
    if (!stream->expect_host(name)) {
        co_return make_invalid("TLS: " + name + " cannot be a server name");
    }
    const auto after_connect = co_await is_cancelled();
    if (after_connect) {
        co_return canceled();
    }
    const auto shaken = co_await stream->shake_hands(asio::ssl::stream_base::client);
    if (!shaken) {
        co_return with_context(shaken.error(), "connecting to " + where);
    }
    co_return stream;
}

asio::awaitable<Result<void>> shake_hands_as_server(Stream* stream) {
    auto* tls = dynamic_cast<TlsStream*>(stream);
    if (tls == nullptr) {
        co_return Result<void>();
    }
    const auto shaken = co_await tls->shake_hands(asio::ssl::stream_base::server);
    co_return shaken;
}

Result<std::unique_ptr<Listener>> Listener::open(
    asio::any_io_executor executor, const std::string& address, std::uint16_t port
) {
    boost::system::error_code code;
    const auto ip = asio::ip::make_address(address.empty() ? "::" : address, code);
    if (code) {
        return make_invalid("listen address " + address + " is not an IP address");
    }
    tcp::acceptor acceptor(executor);
    code = listen_on(acceptor, tcp::endpoint(ip, port));
    if (code && address.empty()) {
        // Machines without IPv6 exist.
        acceptor = tcp::acceptor(executor);
        code = listen_on(acceptor, tcp::endpoint(asio::ip::address_v4::any(), port));
    }
    if (code) {
        return Error{
            ErrorCode::Unavailable,
            "cannot listen on " + ip.to_string() + " port " + std::to_string(port) + ": " +
                code.message(),
            {}
        };
    }
    return std::make_unique<TcpListener>(std::move(acceptor));
}

}  // namespace sluice::net
