#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/task_group.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;
using test::run_until;

/// What a server answers to raw bytes until it closes, `limit` passes or the answer ends so.
boost::asio::awaitable<std::string> talk(
    std::uint16_t port, std::string bytes, Duration limit, std::optional<std::string> end = {}
) {
    const Endpoint endpoint{"127.0.0.1", port, nullptr};
    auto stream = co_await connect(endpoint, Deadline::after(limit));
    if (!stream) {
        co_return "not connected";
    }
    (*stream)->expires_after(limit);
    co_await (*stream)->write(bytes);
    std::string answer;
    for (;;) {
        char buffer[4096];
        const auto read = co_await (*stream)->read_some(buffer, sizeof buffer);
        if (!read) {
            co_return answer + "<" + std::string(to_string(read.error().code)) + ">";
        }
        if (*read == 0) {
            co_return answer + "<end>";
        }
        answer.append(buffer, *read);
        if (end && answer.ends_with(*end)) {
            co_return answer;
        }
    }
}

boost::asio::awaitable<void> send_into(
    HttpClient* client, ClientRequest request, std::string* result
) {
    const auto outcome = co_await client->send(std::move(request), 1h);
    *result = outcome.response ? "answered" : std::string(to_string(outcome.response.error().code));
}

boost::asio::awaitable<std::string> line_of(HttpClient* client, Duration idle_max) {
    auto request = get("/");
    auto opened = co_await client->open(std::move(request), 5s);
    if (!opened) {
        co_return "not opened: " + opened.error().detail;
    }
    const auto first = co_await (*opened)->next_line(5s);
    const auto second = co_await (*opened)->next_line(idle_max);
    co_return (first ? **first : first.error().detail) + " then " +
        (second ? std::string("more") : std::string(to_string(second.error().code)));
}

/// The lines of a stream until its end, or -1 when it breaks.
boost::asio::awaitable<int> count_lines(HttpClient* client) {
    auto request = get("/");
    auto opened = co_await client->open(std::move(request), 5s);
    if (!opened) {
        co_return -1;
    }
    for (int count = 0;; ++count) {
        const auto line = co_await (*opened)->next_line(5s);
        if (!line) {
            co_return -1;
        }
        if (!line->has_value()) {
            co_return count;
        }
    }
}

}  // namespace

TEST_CASE("a refused connection is an error that says nothing was sent", "[net][http]") {
    EventLoop loop;
    auto listener = Listener::open(loop.executor(), "127.0.0.1", 0);
    REQUIRE(listener);
    const auto port = (*listener)->port();
    (*listener)->close();
    HttpClient client(to_server("127.0.0.1", port));
    const auto outcome = run_async(loop, client.send(post("/", "x"), 5s));
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.response.error().code == ErrorCode::Unavailable);
    CHECK(outcome.response.error().detail.starts_with("connecting to 127.0.0.1 port"));
    CHECK_FALSE(outcome.request_sent);
}

TEST_CASE("an unknown host is an error that names it", "[net][http]") {
    EventLoop loop;
    HttpClient client(to_server("no-such-host.invalid", 1));
    const auto outcome = run_async(loop, client.send(get("/"), 5s));
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.response.error().detail.find("no-such-host.invalid") != std::string::npos);
    CHECK_FALSE(outcome.request_sent);
}

TEST_CASE("a call ends by its deadline when the server does not answer", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    REQUIRE(run_async(loop, client.send(get("/"), 5s)).response);  // so that it is connected
    const auto outcome = run_async(loop, client.send(get("/slow"), 200ms));
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.response.error().code == ErrorCode::Timeout);
    CHECK(outcome.request_sent);
    CHECK(client.idle_connections() == 0);
}

TEST_CASE("a cancelled call ends at once", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    TaskGroup tasks(loop.executor(), "test");
    std::string result;
    tasks.spawn(send_into(&client, get("/slow"), &result));
    SECTION("before it began") {}
    SECTION("while it waits for the answer") {
        REQUIRE(run_until(loop, [&] { return handler.requests == 1; }));
    }
    run_async(loop, tasks.stop(0s));
    CHECK(result == "Canceled");
}

TEST_CASE("a handler that takes too long is answered with 504", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto options = plain_options();
    options.handle_timeout = 30ms;
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    const auto outcome = run_async(loop, client.send(get("/slow"), 5s));
    REQUIRE(outcome.response);
    CHECK(outcome.response->status == 504);
    CHECK(handler.slow_ended == 1);
}

TEST_CASE("a request beyond a limit gets its 4xx and the connection is closed", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto options = plain_options();
    options.body_bytes_max = 1000;
    options.header_bytes_max = 2000;
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    const auto port = (*server)->port();
    SECTION("body, by its length") {
        HttpClient client(to_server("127.0.0.1", port));
        const auto outcome =
            run_async(loop, client.send(post("/echo", std::string(200'000, 'x')), 5s));
        REQUIRE(outcome.response);
        CHECK(outcome.response->status == 413);
    }
    SECTION("body, chunked") {
        const auto answer = run_async(
            loop,
            talk(
                port,
                "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" +
                    std::string(4096, 'x') + "\r\n",
                5s
            )
        );
        CHECK(answer.starts_with("HTTP/1.1 413 "));
    }
    SECTION("the size of a chunk, which does not end") {
        const auto answer = run_async(
            loop,
            talk(
                port,
                "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    std::string(5000, '0'),
                5s
            )
        );
        CHECK(answer.starts_with("HTTP/1.1 400 "));
        CHECK(answer.ends_with("<end>"));
    }
    SECTION("header") {
        const auto answer = run_async(
            loop, talk(port, "GET / HTTP/1.1\r\nX: " + std::string(5000, 'x') + "\r\n\r\n", 5s)
        );
        CHECK(answer.starts_with("HTTP/1.1 431 "));
    }
    SECTION("no HTTP at all") {
        const auto answer = run_async(loop, talk(port, "\x16\x03\x01 hello\r\n\r\n", 5s));
        CHECK(answer.starts_with("HTTP/1.1 400 "));
        CHECK(answer.ends_with("<end>"));
    }
    CHECK(handler.requests == 0);
}

TEST_CASE("a request is judged by its head before its body is kept", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    const auto port = (*server)->port();
    SECTION("refused with a body: the answer comes at once, and the connection is closed") {
        const auto answer = run_async(
            loop, talk(port, "POST /refused HTTP/1.1\r\nContent-Length: 200000000\r\n\r\nx", 5s)
        );
        CHECK(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"));
        CHECK(answer.find("Connection: close") != std::string::npos);
    }
    SECTION("refused without a body: the connection goes on") {
        const auto answer = run_async(
            loop,
            talk(
                port,
                "GET /refused HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nConnection: close\r\n\r\n",
                5s
            )
        );
        CHECK(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"));
        CHECK(answer.find("Connection: close\r\n") != std::string::npos);
        CHECK(answer.find("HTTP/1.1 200 OK\r\n") != std::string::npos);
        CHECK(handler.requests == 1);
        return;
    }
    SECTION("a body where none may be, by its length") {
        const auto answer = run_async(
            loop, talk(port, "POST /bodyless HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 5s)
        );
        CHECK(answer.starts_with("HTTP/1.1 413 "));
        CHECK(answer.find("may have no body") != std::string::npos);
    }
    SECTION("a body where none may be, in chunks") {
        const auto answer = run_async(
            loop,
            talk(
                port, "POST /bodyless HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", 5s
            )
        );
        CHECK(answer.starts_with("HTTP/1.1 413 "));
    }
    SECTION("a refused HEAD has no body in its answer") {
        const auto answer =
            run_async(loop, talk(port, "HEAD /refused HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 5s));
        CHECK(answer.ends_with("\r\n\r\n<end>"));
    }
    CHECK(handler.requests == 0);
}

TEST_CASE("a peer that sends its request too slowly is dropped", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto options = plain_options();
    options.header_timeout = 40ms;
    options.body_timeout = 40ms;
    options.idle_timeout = 80ms;
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    const auto* bytes = GENERATE("", "GET / HT", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc");
    CAPTURE(bytes);
    const auto answer = run_async(loop, talk((*server)->port(), bytes, 5s));
    CHECK(answer != "<Timeout>");
    CHECK(handler.requests == 0);
}

TEST_CASE("a client that waits for 100 Continue gets it", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    const auto answer = run_async(
        loop,
        talk(
            (*server)->port(),
            "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\n"
            "Content-Length: 2\r\n\r\n",
            5s,
            "\r\n\r\n"
        )
    );
    CHECK(answer == "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST_CASE("an answer beyond the client's limit is an error", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    auto options = to_server("127.0.0.1", (*server)->port());
    options.body_bytes_max = 100;
    HttpClient client(options);
    const auto outcome = run_async(loop, client.send(post("/echo", std::string(101, 'x')), 5s));
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.response.error().code == ErrorCode::Invalid);
    CHECK(run_async(loop, client.send(post("/echo", std::string(100, 'x')), 5s)).response);
}

TEST_CASE("a request whose length is not certain is refused", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    struct Row {
        const char* version;
        const char* headers;
        const char* status;
    };
    const auto row = GENERATE(
        Row{"1.1", "Transfer-Encoding: chunked", "200"},
        Row{"1.1", "transfer-encoding:  CHUNKED ", "200"},
        Row{"1.1", "Transfer-Encoding: , chunked", "200"},
        Row{"1.1", "Transfer-Encoding: xchunked", "501"},
        Row{"1.1", "Transfer-Encoding: chunkedx", "501"},
        Row{"1.1", "Transfer-Encoding: gzip, chunked", "501"},
        Row{"1.1", "Transfer-Encoding: chunked;a=b", "501"},
        Row{"1.1", "Transfer-Encoding: identity", "501"},
        Row{"1.1", "Transfer-Encoding: chunked, chunked", "400"},
        Row{"1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "400"},
        Row{"1.1", "Transfer-Encoding:", "400"},
        Row{"1.1", "Transfer-Encoding: chunked\r\nContent-Length: 3", "400"},
        Row{"1.1", "Content-Length: 3\r\nTransfer-Encoding: chunked", "400"},
        Row{"1.0", "Transfer-Encoding: chunked", "400"}
    );
    CAPTURE(row.headers);
    const auto answer = run_async(
        loop,
        talk(
            (*server)->port(),
            std::string("POST /echo HTTP/") + row.version + "\r\nConnection: close\r\n" +
                row.headers + "\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            5s
        )
    );
    CHECK(answer.starts_with(std::string("HTTP/1.1 ") + row.status + " "));
    CHECK(answer.ends_with("<end>"));
}

TEST_CASE("an answer that breaks off or is no HTTP is an error", "[net][http]") {
    EventLoop loop;
    const std::string bytes = GENERATE(
        "",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
        "garbage\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"
    );
    CAPTURE(bytes);
    ScriptedServer server(loop, {{bytes}});
    HttpClient client(to_server("127.0.0.1", server.listener->port()));
    const auto outcome = run_async(loop, client.send(post("/", "x"), 5s));
    REQUIRE_FALSE(outcome.response);
    CHECK(outcome.request_sent);
    const auto code = outcome.response.error().code;
    CHECK((code == ErrorCode::Unavailable || code == ErrorCode::Invalid));
}

TEST_CASE("a connection that the server closed meanwhile is replaced", "[net][http]") {
    EventLoop loop;
    const ScriptedServer::Step good{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"};
    SECTION("seen before sending, so even a write goes through") {
        ScriptedServer server(loop, {good, good});
        HttpClient client(to_server("127.0.0.1", server.listener->port()));
        REQUIRE(run_async(loop, client.send(get("/1"), 5s)).response);
        CHECK(run_until(loop, [&] { return server.closed == 1; }));
        CHECK(run_async(loop, client.send(post("/2", "x"), 5s)).response);
    }
    SECTION("after sending, only a read is repeated") {
        auto first = good;
        first.and_again = true;
        ScriptedServer server(loop, {first, {""}, good});
        HttpClient client(to_server("127.0.0.1", server.listener->port()));
        REQUIRE(run_async(loop, client.send(get("/1"), 5s)).response);
        const bool reading = GENERATE(true, false);
        const auto outcome =
            run_async(loop, client.send(reading ? get("/2") : post("/2", "x"), 5s));
        CHECK(outcome.response.has_value() == reading);
        CHECK(server.requests.size() == (reading ? 3 : 2));
    }
}

TEST_CASE(
    "a stream on which nothing comes is a timeout; one that breaks is unavailable", "[net][http]"
) {
    EventLoop loop;
    const std::string begin = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n";
    const bool hold = GENERATE(true, false);
    ScriptedServer server(loop, {{begin, hold}});
    HttpClient client(to_server("127.0.0.1", server.listener->port()));
    const auto expected = hold ? "a then Timeout" : "a then Unavailable";
    CHECK(run_async(loop, line_of(&client, hold ? 20ms : 5s)) == expected);
}

TEST_CASE("a stream may bring more than a whole answer may", "[net][http]") {
    EventLoop loop;
    const bool chunked = GENERATE(true, false);
    constexpr int kLines = 500;
    std::string bytes = "HTTP/1.1 200 OK\r\n";
    bytes += chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
    for (int i = 0; i < kLines; ++i) {
        bytes += chunked ? "4\r\nabc\n\r\n" : "abc\n";
    }
    bytes += chunked ? "0\r\n\r\n" : "";
    ScriptedServer server(loop, {{bytes}});
    auto options = to_server("127.0.0.1", server.listener->port());
    options.body_bytes_max = 100;
    options.line_bytes_max = 100;
    HttpClient client(options);
    CHECK(run_async(loop, count_lines(&client)) == kLines);
}

TEST_CASE("a line without end is refused", "[net][http]") {
    EventLoop loop;
    ScriptedServer server(loop, {{"HTTP/1.1 200 OK\r\n\r\n" + std::string(300'000, 'x'), true}});
    auto options = to_server("127.0.0.1", server.listener->port());
    options.line_bytes_max = 100'000;
    HttpClient client(options);
    CHECK(run_async(loop, line_of(&client, 1s)).starts_with("a line of the stream is longer"));
}

TEST_CASE("an address that is taken or is none is an error when the server starts", "[net][http]") {
    EventLoop loop;
    TestHandler handler;
    auto first = HttpServer::start(loop, handler, plain_options());
    REQUIRE(first);
    auto options = plain_options();
    options.port = (*first)->port();
    const auto second = HttpServer::start(loop, handler, options);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::Unavailable);
    options.address = "localhost";
    const auto third = HttpServer::start(loop, handler, options);
    REQUIRE_FALSE(third);
    CHECK(third.error().code == ErrorCode::Invalid);
}

}  // namespace sluice::net
