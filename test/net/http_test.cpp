#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/listening_socket.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;
using test::run_until;

boost::asio::awaitable<std::string> lines_of(HttpClient* client, std::string target) {
    auto request = get(std::move(target));
    auto opened = co_await client->open(std::move(request), 5s);
    if (!opened) {
        co_return "not opened: " + opened.error().detail;
    }
    std::string out = std::to_string((*opened)->status());
    for (;;) {
        const auto line = co_await (*opened)->next_line(5s);
        if (!line) {
            co_return out + " error:" + std::string(to_string(line.error().code));
        }
        if (!line->has_value()) {
            co_return out + " end";
        }
        out += " [" + **line + "]";
    }
}

/// The status of the answer, or 0.
boost::asio::awaitable<void> status_into(HttpClient* client, ClientRequest request, int* status) {
    const auto outcome = co_await client->send(std::move(request), 1h);
    *status = outcome.response ? outcome.response->status : 0;
}

}  // namespace

TEST_CASE("requests one after the other use one connection", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    const bool tls = GENERATE(true, false);
    auto server = HttpServer::start(
        loop, handler, tls ? tls_options(authority.serve({"127.0.0.1"})) : plain_options()
    );
    REQUIRE(server);
    HttpClient client(
        to_server("127.0.0.1", (*server)->port(), tls ? authority.trusting() : nullptr)
    );
    for (int i = 0; i < 5; ++i) {
        const auto outcome =
            run_async(loop, client.send(post("/echo", "hello " + std::to_string(i)), 5s));
        REQUIRE(outcome.response);
        CHECK(outcome.response->status == 200);
        CHECK(outcome.response->body == "hello " + std::to_string(i));
        CHECK(
            find_header(outcome.response->headers, "content-type") == "text/plain; charset=utf-8"
        );
    }
    CHECK(client.idle_connections() == 1);
    CHECK((*server)->connections() == 1);
    CHECK(handler.requests == 5);
    run_async(loop, (*server)->stop(1s));
    CHECK((*server)->connections() == 0);
}

TEST_CASE(
    "a server answers on a socket that listened before, and nobody else had its port", "[net]"
) {
    EventLoop loop;
    TestHandler handler;
    auto socket = ListeningSocket::open("127.0.0.1");
    REQUIRE(socket);
    const std::uint16_t port = (*socket)->port();
    ServerOptions other = plain_options();
    other.address = "127.0.0.1";
    other.port = port;
    CHECK_FALSE(HttpServer::start(loop, handler, other));
    ServerOptions options = plain_options();
    options.socket = std::move(*socket);
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    CHECK((*server)->port() == port);
    CHECK_FALSE(HttpServer::start(loop, handler, other));
    HttpClient client(to_server("127.0.0.1", port, nullptr));
    const auto outcome = run_async(loop, client.send(post("/echo", "hello"), 5s));
    REQUIRE(outcome.response);
    CHECK(outcome.response->body == "hello");
    CHECK(options.socket->release() == -1);
}

TEST_CASE("a socket listens on an IPv4 address only", "[net]") {
    for (const char* address : {"", "localhost", "::1", "127.0.0.1:80", "256.0.0.1"}) {
        const auto socket = ListeningSocket::open(address);
        REQUIRE_FALSE(socket);
        CHECK(socket.error().code == ErrorCode::Invalid);
    }
    const auto foreign = ListeningSocket::open("192.0.2.1");
    REQUIRE_FALSE(foreign);
    CHECK(foreign.error().code == ErrorCode::Unavailable);
}

TEST_CASE("hundreds of connections stay open and are answered", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 300; ++i) {
        clients.push_back(std::make_unique<HttpClient>(to_server("127.0.0.1", (*server)->port())));
        REQUIRE(run_async(loop, clients.back()->send(get("/"), 5s)).response);
    }
    CHECK((*server)->connections() == 300);
    for (auto& client : clients) {
        REQUIRE(run_async(loop, client->send(get("/"), 5s)).response);
    }
    CHECK((*server)->connections() == 300);
}

TEST_CASE("a large body is spooled to a file and comes back whole", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    const Authority authority;
    auto server = HttpServer::start(loop, handler, tls_options(authority.serve({"127.0.0.1"})));
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port(), authority.trusting()));
    std::string body(std::size_t{9} * 1024 * 1024 + 7, 'x');
    for (std::size_t i = 0; i < body.size(); i += 1000) {
        body[i] = static_cast<char>('a' + i / 1000 % 26);
    }
    const std::size_t files = test::unnamed_files();
    const auto size = run_async(loop, client.send(post("/size", body), 20s));
    REQUIRE(size.response);
    CHECK(size.response->body == std::to_string(body.size()));
    CHECK(handler.unnamed_files == files + 1);
    const auto small = run_async(loop, client.send(post("/size", "abc"), 20s));
    REQUIRE(small.response);
    CHECK(small.response->body == "3");
    CHECK(handler.unnamed_files == files);
    const auto echo = run_async(loop, client.send(post("/echo", body), 20s));
    REQUIRE(echo.response);
    CHECK(echo.response->body == body);
}

TEST_CASE("a query parameter is found and decoded", "[net][http]") {
    ServerRequest request;
    request.target = "/x?b=1&a=%2Fp+q&c&d=q%zz";
    CHECK(request.path() == "/x");
    CHECK(request.query("a") == "/p q");
    CHECK(request.query("c").empty());
    CHECK(request.query("d") == "q%zz");
    CHECK(request.query("none").empty());
}

TEST_CASE("a stream gives its lines as they come, however they are cut", "[net][http]") {
    EventLoop loop;
    ScriptedServer server(
        loop,
        {{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          "3\r\none\r\n5\r\n\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n",
          true}}
    );
    HttpClient client(to_server("127.0.0.1", server.listener->port()));
    CHECK(run_async(loop, lines_of(&client, "/watch")) == "200 [one] [two] [three] end");
    CHECK(server.requests == std::vector<std::string>{"GET /watch HTTP/1.1"});
}

TEST_CASE("an interim answer is passed over", "[net][http]") {
    EventLoop loop;
    ScriptedServer server(
        loop,
        {{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", true}}
    );
    HttpClient client(to_server("127.0.0.1", server.listener->port()));
    const auto outcome = run_async(loop, client.send(post("/", "x"), 5s));
    REQUIRE(outcome.response);
    CHECK(outcome.response->status == 201);
    CHECK(outcome.response->body == "ok");
}

TEST_CASE(
    "a stopped server finishes the running request and closes the idle connection", "[net][http]"
) {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient idle(to_server("127.0.0.1", (*server)->port()));
    REQUIRE(run_async(loop, idle.send(get("/"), 5s)).response);
    run_async(loop, (*server)->stop(5s));
    CHECK((*server)->connections() == 0);
    const auto refused = run_async(loop, idle.send(get("/"), 5s));
    REQUIRE_FALSE(refused.response);
    CHECK(refused.response.error().code == ErrorCode::Unavailable);
}

TEST_CASE("a handler that hangs is cancelled when the server stops", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    TaskGroup tasks(loop.executor(), "test");
    int status = -1;
    tasks.spawn(status_into(&client, get("/slow"), &status));
    REQUIRE(run_until(loop, [&] { return handler.requests == 1; }));
    run_async(loop, (*server)->stop(10ms));
    run_async(loop, tasks.wait());
    CHECK(status == 200);  // what a handler answers when it is cancelled still goes out
    CHECK(handler.slow_ended == 1);
    CHECK((*server)->connections() == 0);
}

}  // namespace sluice::net
