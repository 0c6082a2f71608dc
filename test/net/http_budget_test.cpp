#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/task_group.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;
using test::run_until;

constexpr std::size_t kMiB = std::size_t{1024} * 1024;

/// A server with a budget and what talks to it.
struct Budgeted {
    EventLoop loop;
    TestHandler handler;
    std::unique_ptr<HttpServer> server;
    std::unique_ptr<HttpClient> client;

    explicit Budgeted(std::size_t bytes_max) {
        auto options = plain_options();
        options.bytes_in_flight_max = bytes_max;
        server = *HttpServer::start(loop, handler, options);
        client = std::make_unique<HttpClient>(to_server("127.0.0.1", server->port()));
    }
    ClientResponse send(const std::string& target, std::size_t bytes) {
        auto outcome = run_async(loop, client->send(post(target, std::string(bytes, 'x')), 10s));
        REQUIRE(outcome.response);
        return std::move(*outcome.response);
    }
    int status_of(const std::string& target, std::size_t bytes) {
        return send(target, bytes).status;
    }
    /// Whether a body of this size soon gets this status; false after some seconds, which only a
    /// failure takes.
    bool is_soon(int status, std::size_t bytes) {
        for (int i = 0; i < 2000; ++i) {
            if (status_of("/size", bytes) == status) {
                return true;
            }
            run_async(loop, pause_for(5ms));
        }
        return false;
    }
    /// A connection on which a request for a body of `length` was begun with `sent` bytes of it.
    std::unique_ptr<Stream> begin(std::string target, std::size_t length, std::size_t sent) {
        return run_async(loop, begun(server->port(), std::move(target), length, sent));
    }

  private:
    static boost::asio::awaitable<std::unique_ptr<Stream>> begun(
        std::uint16_t port, std::string target, std::size_t length, std::size_t sent
    ) {
        const Endpoint endpoint{"127.0.0.1", port, nullptr};
        auto stream = *co_await connect(endpoint, Deadline::after(5s));
        stream->expires_after(10s);
        const auto bytes = "POST " + target +
                           " HTTP/1.1\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
                           std::string(sent, 'x');
        co_await stream->write(bytes);
        co_return stream;
    }
};

}  // namespace

TEST_CASE("a body beyond the server's budget is told to come later", "[net][http][budget]") {
    Budgeted peer(1000);
    const auto answer = peer.send("/size", 1001);
    CHECK(answer.status == 503);
    CHECK(find_header(answer.headers, "Retry-After") == "1");
    CHECK(peer.handler.requests == 0);
    CHECK(peer.status_of("/size", 1000) == 200);
}

TEST_CASE("an answer beyond the server's budget is told to come later", "[net][http][budget]") {
    Budgeted peer(1000);
    const auto answer = peer.send("/twice", 501);
    CHECK(answer.status == 503);
    CHECK(find_header(answer.headers, "Retry-After") == "1");
    CHECK(peer.send("/twice", 500).body.size() == 1000);
    CHECK(peer.send("/echo", 1000).body.size() == 1000);
}

TEST_CASE("a body that is still coming counts until it is gone", "[net][http][budget]") {
    Budgeted peer(1000);
    auto other = peer.begin("/size", 800, 700);
    CHECK(peer.is_soon(503, 301));
    CHECK(peer.status_of("/size", 300) == 200);
    other.reset();
    CHECK(peer.is_soon(200, 1000));
}

TEST_CASE("a body that a handler works on counts until it ends", "[net][http][budget]") {
    Budgeted peer(1000);
    const auto other = peer.begin("/held", 800, 800);
    CHECK(run_until(peer.loop, [&] { return peer.handler.requests == 1; }));
    CHECK(peer.status_of("/size", 201) == 503);
    CHECK(peer.status_of("/size", 200) == 200);
    peer.handler.is_let_go = true;
    CHECK(peer.is_soon(200, 1000));
}

TEST_CASE(
    "an answer that its client does not take counts until it is gone", "[net][http][budget]"
) {
    // Far more than the sockets between the two hold.
    Budgeted peer(96 * kMiB);
    auto other = peer.begin("/twice", 32 * kMiB, 32 * kMiB);
    CHECK(run_until(peer.loop, [&] { return peer.handler.requests == 1; }));
    CHECK(peer.is_soon(503, 33 * kMiB));
    CHECK(peer.status_of("/size", 31 * kMiB) == 200);
    other.reset();
    CHECK(peer.is_soon(200, 33 * kMiB));
}

}  // namespace sluice::net
