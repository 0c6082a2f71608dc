#include "net/transport/proxy.hpp"

#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/stream.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <string>

// A client behind a proxy that is played here.
namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using test::run_async;
using StreamPointer = std::shared_ptr<Stream>;

awaitable<void> pump(StreamPointer from, StreamPointer to) {
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto size = co_await from->read_some(buffer.data(), buffer.size());
        if (!size || *size == 0) {
            break;
        }
        const auto written = co_await to->write(std::string_view(buffer.data(), *size));
        if (!written) {
            break;
        }
    }
    from->close();
    to->close();
}

/// Takes connections and opens the tunnels that it is asked for.
struct TestProxy {
    EventLoop& loop;
    std::string answer = "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n";
    std::string request;  ///< the last one's header
    int tunnels = 0;
    TaskGroup tasks{loop.executor(), "proxy"};
    std::unique_ptr<Listener> listener;

    explicit TestProxy(EventLoop& on) : loop(on) {
        auto opened = Listener::open(loop.executor(), "127.0.0.1", 0);
        REQUIRE(opened);
        listener = std::move(*opened);
        tasks.spawn(accept_all(this), "accept");
    }

    static awaitable<void> accept_all(TestProxy* self) {
        const std::shared_ptr<TlsContext> plain;
        for (;;) {
            auto accepted = co_await self->listener->accept(&plain);
            if (!accepted) {
                co_return;
            }
            self->tasks.spawn(serve(self, StreamPointer(std::move(accepted->stream))), "serve");
        }
    }

    static awaitable<void> serve(TestProxy* self, StreamPointer client) {
        std::string header;
        while (!header.ends_with("\r\n\r\n")) {
            char next = 0;
            const auto size = co_await client->read_some(&next, 1);
            if (!size || *size == 0) {
                co_return;
            }
            header += next;
        }
        self->request = header;
        const std::string authority = header.substr(8, header.find(' ', 8) - 8);
        const auto colon = authority.rfind(':');
        const auto port = static_cast<std::uint16_t>(std::stoi(authority.substr(colon + 1)));
        // Names mean this machine here.
        const Endpoint endpoint{.host = "127.0.0.1", .port = port, .tls = nullptr};
        auto server = co_await connect(endpoint, Deadline::after(5s));
        const auto written = co_await client->write(self->answer);
        if (!server || !written) {
            client->close();
            co_return;
        }
        ++self->tunnels;
        const StreamPointer target(std::move(*server));
        self->tasks.spawn(pump(client, target), "up");
        self->tasks.spawn(pump(target, client), "down");
    }

    Proxy address() const { return {.host = "127.0.0.1", .port = listener->port()}; }
};

/// The status of the answer, or why there is none.
std::string get(EventLoop& loop, HttpClientOptions options) {
    HttpClient client(std::move(options));
    const auto outcome = run_async(loop, client.send({.method = "GET", .target = "/"}, 5s));
    return outcome.response ? std::to_string(outcome.response->status)
                            : outcome.response.error().detail;
}

struct Behind {
    EventLoop loop;
    TestHandler handler;
    Authority authority;
    TestProxy proxy{loop};
    std::unique_ptr<HttpServer> server;
    HttpClientOptions options;

    explicit Behind(bool use_tls) {
        auto limits = tls_options(authority.serve({"kube.example.com"}));
        limits.tls = use_tls;
        auto started = HttpServer::start(loop, handler, limits);
        REQUIRE(started);
        server = std::move(*started);
        options.host = "kube.example.com";  // that no resolver here knows
        options.port = server->port();
        options.proxy = proxy.address();
        if (use_tls) {
            options.tls = *make_client_tls({authority.authority.certificate_pem, "", true, {}, {}});
        }
    }
};

}  // namespace

TEST_CASE("a server behind a proxy is reached, and proves its own name", "[net][proxy]") {
    Behind behind(GENERATE(true, false));
    CHECK(get(behind.loop, behind.options) == "200");
    CHECK(behind.proxy.tunnels == 1);
    const std::string authority = "kube.example.com:" + std::to_string(behind.server->port());
    CHECK(
        behind.proxy.request ==
        "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n"
    );
}

TEST_CASE("a server behind a proxy with another name is not trusted", "[net][proxy]") {
    Behind behind(true);
    behind.options.host = "other.example.com";
    CHECK(get(behind.loop, behind.options).find("mismatch") != std::string::npos);
}

TEST_CASE("the proxy is shown name and password", "[net][proxy]") {
    Behind behind(true);
    behind.options.proxy->authorization = parse_proxy_url("http://user:p%40ss@p")->authorization;
    CHECK(get(behind.loop, behind.options) == "200");
    CHECK(
        behind.proxy.request.find("\r\nProxy-Authorization: Basic dXNlcjpwQHNz\r\n") !=
        std::string::npos
    );
}

TEST_CASE("what a proxy refuses is told", "[net][proxy]") {
    Behind behind(true);
    behind.proxy.answer = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
    const std::string why = get(behind.loop, behind.options);
    CHECK(why.find("by the proxy 127.0.0.1 port") != std::string::npos);
    CHECK(why.find("the proxy answered: HTTP/1.1 407 Proxy Auth") != std::string::npos);
    behind.proxy.answer = std::string(20'000, 'x');
    CHECK(get(behind.loop, behind.options).find("too long") != std::string::npos);
}

TEST_CASE("the URL of a proxy has a host, perhaps a port and a login", "[net][proxy]") {
    CHECK(*parse_proxy_url("http://p") == Proxy{.host = "p", .port = 80, .authorization = ""});
    CHECK(parse_proxy_url("p:3128")->port == 3128);
    CHECK(parse_proxy_url("http://[::1]:1/")->host == "::1");
    CHECK(parse_proxy_url("http://u@p")->authorization == "Basic dTo=");
    const auto* bad =
        GENERATE("", "http://", "https://p", "socks5://p", "http://p:0", "http://p:x");
    CAPTURE(bad);
    CHECK_FALSE(parse_proxy_url(bad));
}

}  // namespace sluice::net
