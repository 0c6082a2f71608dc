#include "base/deadline.hpp"
#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/stream.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;

/// A TLS server that counts handshakes and answers only when a whole wave of requests is there, so
/// that each of them needs a connection of its own.
struct WaveServer {
    WaveServer(EventLoop& loop, std::size_t size)
        : wave(size),
          tls(*make_server_tls({certificate.certificate_pem, certificate.private_key_pem})),
          listener(*Listener::open(loop.executor(), "127.0.0.1", 0)),
          tasks(loop.executor(), "wave server") {
        tasks.spawn(accept_all(), "accept");
    }

    boost::asio::awaitable<void> accept_all() {
        for (;;) {
            auto accepted = co_await listener->accept(&tls);
            if (!accepted) {
                co_return;
            }
            tasks.spawn(serve(std::move(accepted->stream)), "serve");
        }
    }

    boost::asio::awaitable<void> serve(std::unique_ptr<Stream> stream) {
        stream->expires_after(30s);
        const auto shaken = co_await shake_hands_as_server(stream.get());
        if (!shaken) {
            co_return;
        }
        ++handshakes;
        ++open;
        for (;;) {
            std::string input;
            while (input.find("\r\n\r\n") == std::string::npos) {
                char buffer[4096];
                const auto read = co_await stream->read_some(buffer, sizeof buffer);
                if (!read || *read == 0) {
                    --open;
                    co_return;
                }
                input.append(buffer, *read);
            }
            const std::size_t last = (arrived++ / wave + 1) * wave;
            while (arrived < last) {
                const auto waited = co_await pause_for(1ms);
                if (!waited) {
                    co_return;
                }
            }
            co_await stream->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    }

    Authority authority;
    CertificateAndKey certificate = authority.serve({"127.0.0.1"});
    std::size_t wave;
    std::shared_ptr<TlsContext> tls;
    std::unique_ptr<Listener> listener;
    std::size_t handshakes = 0;
    std::size_t open = 0;
    std::size_t arrived = 0;
    TaskGroup tasks;
};

boost::asio::awaitable<void> write_once(HttpClient* client, std::size_t* answered) {
    auto request = post("/", "x");
    const auto outcome = co_await client->send(std::move(request), 30s);
    *answered += outcome.response && outcome.response->status == 200 ? 1 : 0;
}

std::size_t send_wave(EventLoop& loop, HttpClient& client, std::size_t size) {
    TaskGroup tasks(loop.executor(), "wave");
    std::size_t answered = 0;
    for (std::size_t i = 0; i < size; ++i) {
        tasks.spawn(write_once(&client, &answered), "write");
    }
    run_async(loop, tasks.wait());
    return answered;
}

}  // namespace

TEST_CASE("a second wave of writes shakes no hands", "[net][http]") {
    EventLoop loop;
    WaveServer server(loop, 256);
    HttpClient client(to_server("127.0.0.1", server.listener->port(), server.authority.trusting()));
    CHECK(send_wave(loop, client, 256) == 256);
    CHECK(server.handshakes == 256);
    CHECK(send_wave(loop, client, 256) == 256);
    CHECK(server.handshakes == 256);
    CHECK(client.idle_connections() == 256);
}

TEST_CASE("no more connections are kept than allowed", "[net][http]") {
    EventLoop loop;
    WaveServer server(loop, 8);
    auto options = to_server("127.0.0.1", server.listener->port(), server.authority.trusting());
    options.idle_connections_max = 3;
    HttpClient client(options);
    CHECK(send_wave(loop, client, 8) == 8);
    CHECK(client.idle_connections() == 3);
    CHECK(send_wave(loop, client, 8) == 8);
    CHECK(server.handshakes == 8 + 5);
}

TEST_CASE("connections that are no longer needed are closed after a while", "[net][http]") {
    EventLoop loop;
    WaveServer server(loop, 8);
    auto options = to_server("127.0.0.1", server.listener->port(), server.authority.trusting());
    options.idle_max = 200ms;
    HttpClient client(options);
    REQUIRE(send_wave(loop, client, 8) == 8);
    REQUIRE(server.open == 8);
    server.wave = 1;
    const auto until = Deadline::after(20s);
    SECTION("all but the one in use") {
        while (server.open > 1 && !until.has_passed()) {
            REQUIRE(send_wave(loop, client, 1) == 1);
            run_async(loop, pause_for(1ms));
        }
        CHECK(server.open == 1);
    }
    SECTION("the last one too, without another request") {
        while (server.open > 0 && !until.has_passed()) {
            run_async(loop, pause_for(1ms));
        }
        CHECK(server.open == 0);
        CHECK(client.idle_connections() == 0);
    }
}

}  // namespace sluice::net
