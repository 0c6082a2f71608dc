#include "net/http_server.hpp"
#include "net/stream.hpp"
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

    explicit Crowd(std::size_t connections_max) {
        auto options = plain_options();
        options.connections_max = connections_max;
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

TEST_CASE("where no connection is idle, the new one is closed", "[net][limits]") {
    Crowd crowd(2);
    const auto half_open = crowd.connect();
    const auto working = crowd.connect();
    crowd.send(half_open, "GET / HT");
    crowd.send(working, "GET /slow HTTP/1.1\r\n\r\n");
    // What was sent before it has come then too.
    REQUIRE(run_until(crowd.loop, [&] { return crowd.handler.requests == 1; }));
    CHECK_FALSE(crowd.is_served(crowd.connect()));
    CHECK(crowd.server->connections() == 2);
    crowd.send(half_open, "TP/1.1\r\n\r\n");
    char buffer[4096];
    CHECK(run_async(crowd.loop, crowd.peers[half_open]->read_some(buffer, sizeof buffer)));
    CHECK(crowd.is_served(crowd.connect()));  // in the place of what is idle now
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
