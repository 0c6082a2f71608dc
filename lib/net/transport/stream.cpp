#include "net/transport/stream.hpp"

#include "base/printable.hpp"
#include "net/loop/event_loop.hpp"
#include "net/transport/tcp_socket.hpp"
#include "net/transport/tls_stream.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <algorithm>
#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sluice::net {
namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

Error canceled() {
    return Error{ErrorCode::Canceled, "canceled", {}};
}

class PlainStream final : public Stream {
  public:
    explicit PlainStream(tcp::socket socket) : tcp_(std::move(socket)) {}
    void expires_at(Deadline deadline) override { tcp_.expires_at(deadline); }
    asio::awaitable<Result<void>> wait_readable() override {
        return tcp_.wait(TcpSocket::Until::Readable);
    }
    asio::awaitable<Result<std::size_t>> read_some(char* buffer, std::size_t size) override {
        for (;;) {
            boost::system::error_code code;
            const auto bytes = tcp_.socket().read_some(asio::buffer(buffer, size), code);
            const auto ready = co_await after(code, bytes, TcpSocket::Until::Readable);
            if (!ready) {
                co_return ready.error();
            }
            if (!code || code == asio::error::eof) {
                co_return bytes;
            }
        }
    }
    asio::awaitable<Result<void>> write(std::string_view bytes) override {
        while (!bytes.empty()) {
            boost::system::error_code code;
            const auto source = asio::buffer(bytes.data(), bytes.size());
            const auto written = tcp_.socket().write_some(source, code);
            const auto ready = co_await after(code, written, TcpSocket::Until::Writable);
            if (!ready) {
                co_return ready.error();
            }
            bytes.remove_prefix(written);
        }
        co_return Result<void>();
    }
    asio::awaitable<void> shutdown() override {
        boost::system::error_code ignored;
        std::ignore = tcp_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        tcp_.close();
        co_return;
    }
    void close() noexcept override { tcp_.close(); }
    bool is_reusable() override { return tcp_.is_silent(); }

  private:
    /// Follows a call: waits if the call must be repeated, else gives other coroutines a turn.
    asio::awaitable<Result<void>> after(
        boost::system::error_code code, std::size_t bytes, TcpSocket::Until until
    ) {
        if (code == asio::error::would_block || code == asio::error::try_again) {
            return tcp_.wait(until);
        }
        return finished(code, bytes);
    }
    asio::awaitable<Result<void>> finished(boost::system::error_code code, std::size_t bytes) {
        if (code && code != asio::error::eof) {
            co_return to_error(code);
        }
        const auto turned = co_await tcp_.take_turns(bytes);
        co_return turned;
    }

    TcpSocket tcp_;
};

/// getaddrinfo cannot be interrupted, so the caller waits for a timer that the result cancels. Both
/// share the result's memory.
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

/// Detects within about a minute that a peer is gone without closing, both on streams that only
/// read (probes) and on those that write (unacknowledged bytes).
void set_socket_options(tcp::socket& socket) {
    boost::system::error_code ignored;
    std::ignore = socket.set_option(tcp::no_delay(true), ignored);
    std::ignore = socket.set_option(asio::socket_base::keep_alive(true), ignored);
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

std::string counted_address(const asio::ip::address& address) {
    if (!address.is_v6()) {
        return address.to_string();
    }
    const auto v6 = address.to_v6();
    if (v6.is_v4_mapped()) {
        return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
    }
    auto bytes = v6.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return asio::ip::address_v6(bytes).to_string() + "/64";
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
        accepted.address = counted_address(remote.address());
        if (tls != nullptr && *tls) {
            accepted.stream = std::make_unique<TlsStream>(std::move(socket), *tls);
        } else {
            accepted.stream = std::make_unique<PlainStream>(std::move(socket));
        }
        co_return accepted;
    }
    void close() noexcept override {
        boost::system::error_code ignored;
        std::ignore = acceptor_.close(ignored);
    }

  private:
    tcp::acceptor acceptor_;
};

/// Opens, binds and listens. Returns the error of the first step that fails.
boost::system::error_code listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
    boost::system::error_code code;
    code = acceptor.open(endpoint.protocol(), code);
    if (!code) {
        code = acceptor.set_option(asio::socket_base::reuse_address(true), code);
    }
    if (!code && endpoint.address().is_v6()) {
        code = acceptor.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), code);
    }
    if (!code) {
        code = acceptor.bind(endpoint, code);
    }
    if (!code) {
        code = acceptor.listen(asio::socket_base::max_listen_connections, code);
    }
    return code;
}

}  // namespace

/// Asks the proxy at the other end for a tunnel. Reads the response byte by byte, because the bytes
/// after its header come from the host.
asio::awaitable<Result<void>> open_tunnel(
    beast::tcp_stream* tcp, const Endpoint* endpoint, const Proxy* proxy
) {
    constexpr std::size_t kHeaderMax = std::size_t{16} * 1024;
    const bool is_v6 = endpoint->host.find(':') != std::string::npos;
    const std::string host = is_v6 ? "[" + endpoint->host + "]" : endpoint->host;
    const std::string authority = host + ":" + std::to_string(endpoint->port);
    std::string request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
    if (!proxy->authorization.empty()) {
        request += "Proxy-Authorization: " + proxy->authorization + "\r\n";
    }
    request += "\r\n";
    const auto [write_code, written] =
        co_await asio::async_write(*tcp, asio::buffer(request), kAsTuple);
    if (write_code) {
        co_return to_error(write_code);
    }
    std::string header;
    while (!header.ends_with("\r\n\r\n")) {
        char next = 0;
        const auto [code, size] = co_await tcp->async_read_some(asio::buffer(&next, 1), kAsTuple);
        if (code) {
            co_return to_error(code);
        }
        header += next;
        if (header.size() > kHeaderMax) {
            co_return Error{ErrorCode::Unavailable, "the proxy's answer is too long", {}};
        }
    }
    const std::string line = header.substr(0, header.find('\r'));
    const bool is_open = line.starts_with("HTTP/1.") && line.size() > 9 && line[9] == '2';
    if (!is_open) {
        co_return Error{ErrorCode::Unavailable, "the proxy answered: " + printable(line), {}};
    }
    co_return Result<void>();
}

asio::awaitable<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Deadline deadline) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return canceled();
    }
    const std::string& next_host = endpoint.proxy ? endpoint.proxy->host : endpoint.host;
    const std::uint16_t next_port = endpoint.proxy ? endpoint.proxy->port : endpoint.port;
    auto where = endpoint.host + " port " + std::to_string(endpoint.port);
    if (endpoint.proxy) {
        where += " by the proxy " + next_host + " port " + std::to_string(next_port);
    }
    const auto executor = co_await asio::this_coro::executor;
    beast::tcp_stream tcp(executor);
    tcp.expires_at(deadline.at());
    const auto addresses = co_await resolve(next_host, next_port, deadline);
    if (!addresses) {
        co_return addresses.error();
    }
    const auto [code, connected] = co_await tcp.async_connect(*addresses, kAsTuple);
    if (code) {
        co_return with_context(to_error(code), "connecting to " + where);
    }
    set_socket_options(tcp.socket());
    if (endpoint.proxy) {
        const auto opened = co_await open_tunnel(&tcp, &endpoint, &*endpoint.proxy);
        if (!opened) {
            co_return with_context(opened.error(), "connecting to " + where);
        }
    }
    if (!endpoint.tls) {
        co_return std::make_unique<PlainStream>(tcp.release_socket());
    }
    auto stream = std::make_unique<TlsStream>(tcp.release_socket(), endpoint.tls);
    stream->expires_at(deadline);
    const auto name = endpoint.tls->server_name.empty() ? endpoint.host : endpoint.tls->server_name;
    if (!stream->expect_host(name)) {
        co_return make_invalid("TLS: " + name + " cannot be a server name");
    }
    const auto after_connect = co_await is_cancelled();
    if (after_connect) {
        co_return canceled();
    }
    const auto shaken = co_await stream->shake_hands(TlsStream::Side::Client);
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
    const auto shaken = co_await tls->shake_hands(TlsStream::Side::Server);
    co_return shaken;
}

Result<std::unique_ptr<Listener>> Listener::open(
    const asio::any_io_executor& executor, const std::string& address, std::uint16_t port
) {
    boost::system::error_code code;
    const auto ip = asio::ip::make_address(address.empty() ? "::" : address, code);
    if (code) {
        return make_invalid("listen address " + address + " is not an IP address");
    }
    tcp::acceptor acceptor(executor);
    code = listen_on(acceptor, tcp::endpoint(ip, port));
    if (code && address.empty()) {
        // Some machines have no IPv6.
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

Result<std::unique_ptr<Listener>> Listener::adopt(
    const asio::any_io_executor& executor, int socket
) {
    tcp::acceptor acceptor(executor);
    boost::system::error_code code;
    code = acceptor.assign(tcp::v4(), socket, code);
    if (code) {
        ::close(socket);
        return Error{ErrorCode::Unavailable, "cannot listen: " + code.message(), {}};
    }
    return std::make_unique<TcpListener>(std::move(acceptor));
}

}  // namespace sluice::net
