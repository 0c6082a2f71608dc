#include "net/http/http_server.hpp"
#include "net/transport/stream.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;
using test::run_until;

/// A server of few connections and peers that keep theirs.
struct Crowd {
    EventLoop loop;
    TestHandler handler;
    std::unique_ptr<HttpServer> server;
    std::vector<std::unique_ptr<Stream>> peers;

    explicit Crowd(std::size_t connections_max, std::size_t per_peer_max = 1000) {
        auto options = plain_options();
        options.connections_max = connections_max;
        options.connections_per_peer_max = per_peer_max;
        server = *HttpServer::start(loop, handler, options);
    }
    std::size_t connect() {
        const Endpoint endpoint{"127.0.0.1", server->port(), nullptr};
        peers.push_back(*run_async(loop, net::connect(endpoint, Deadline::after(5s))));
        peers.back()->expires_after(20s);
        return peers.size() - 1;
    }
    void send(std::size_t peer, std::string_view bytes) {
        REQUIRE(run_async(loop, peers[peer]->write(bytes)));
    }
    /// Whether a request on the connection is answered; false when the server has closed it.
    bool is_served(std::size_t peer) {
        run_async(loop, peers[peer]->write("GET / HTTP/1.1\r\n\r\n"));
        char buffer[4096];
        const auto read = run_async(loop, peers[peer]->read_some(buffer, sizeof buffer));
        return read && *read > 0;
    }
    bool has_soon(std::size_t connections) {
        return run_until(loop, [&] { return server->connections() == connections; });
    }
};

}  // namespace

TEST_CASE("one connection too many closes the one that is idle the longest", "[net][limits]") {
    Crowd crowd(3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(crowd.is_served(crowd.connect()));
    }
    CHECK(crowd.is_served(0));  // so that 1 is now the oldest
    CHECK(crowd.is_served(crowd.connect()));
    CHECK(crowd.has_soon(3));
    CHECK_FALSE(crowd.is_served(1));
    CHECK(crowd.is_served(0));
    CHECK(crowd.is_served(2));
    CHECK(crowd.is_served(3));
}

TEST_CASE("where every connection is answered, the new one is closed", "[net][limits]") {
    Crowd crowd(2);
    const auto first = crowd.connect();
    const auto second = crowd.connect();
    for (const auto working : {first, second}) {
        crowd.send(working, "GET /slow HTTP/1.1\r\n\r\n");
    }
    REQUIRE(run_until(crowd.loop, [&] { return crowd.handler.requests == 2; }));
    CHECK_FALSE(crowd.is_served(crowd.connect()));
    CHECK(crowd.server->connections() == 2);
    crowd.peers[first]->close();
    crowd.peers[second]->close();
}

TEST_CASE("a request that never comes whole goes for a new connection", "[net][limits]") {
    Crowd crowd(2);
    const auto slow = crowd.connect();
    const auto working = crowd.connect();
    crowd.send(slow, "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab");
    crowd.send(working, "GET /slow HTTP/1.1\r\n\r\n");
    // What was sent before it has come then too.
    REQUIRE(run_until(crowd.loop, [&] { return crowd.handler.requests == 1; }));
    CHECK(crowd.is_served(crowd.connect()));
    CHECK(run_until(crowd.loop, [&] { return crowd.server->connections() == 2; }));
    CHECK_FALSE(crowd.is_served(slow));
}

TEST_CASE("a peer has no more connections than one peer may have", "[net][limits]") {
    Crowd crowd(100, 3);
    for (std::size_t i = 0; i < 10; ++i) {
        CHECK(crowd.is_served(crowd.connect()));
    }
    CHECK(run_until(crowd.loop, [&] { return crowd.server->connections() == 3; }));
    CHECK(crowd.is_served(9));
    CHECK_FALSE(crowd.is_served(0));
}

TEST_CASE("a flood of silent connections does not keep others out", "[net][limits]") {
    Crowd crowd(8);
    for (int i = 0; i < 100; ++i) {
        crowd.connect();
    }
    CHECK(crowd.has_soon(8));
    CHECK(crowd.is_served(crowd.connect()));
}

}  // namespace sluice::net
