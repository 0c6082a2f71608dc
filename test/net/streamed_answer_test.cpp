#include "net/http/http_client.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/task_group.hpp"
#include "peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::net {
namespace {

using namespace std::chrono_literals;
using test::run_async;
using test::run_until;

/// Gives its pieces one by one, then waits for more or ends.
class Pieces final : public BodyStream {
  public:
    explicit Pieces(int* ended) : ended_(ended) {}
    ~Pieces() override { ++*ended_; }

    boost::asio::awaitable<std::optional<std::string>> next() override {
        while (pieces.empty() && !is_at_end) {
            const bool paused = co_await pause_for(1ms);
            if (!paused) {
                co_return std::nullopt;
            }
        }
        if (pieces.empty()) {
            co_return std::nullopt;
        }
        std::string piece = std::move(pieces.front());
        pieces.pop_front();
        co_return piece;
    }

    std::deque<std::string> pieces{};
    bool is_at_end = false;

  private:
    int* ended_;
};

/// Answers every request with the same kind of stream; the last one is at hand.
class StreamingHandler final : public HttpHandler {
  public:
    boost::asio::awaitable<ServerResponse> handle(ServerRequest) override {
        auto stream = std::make_shared<Pieces>(&ended);
        stream->pieces = {"one\ntw", "o\n"};
        last = stream;
        ServerResponse response;
        response.stream = std::move(stream);
        co_return response;
    }
    int ended = 0;
    std::weak_ptr<Pieces> last{};
};

boost::asio::awaitable<void> lines_into(HttpClient* client, std::string* out) {
    auto request = get("/watch");
    const auto opened = co_await client->open(std::move(request), 5s);
    if (!opened) {
        *out += "not opened: " + opened.error().detail;
        co_return;
    }
    for (;;) {
        const auto line = co_await (*opened)->next_line(5s);
        if (!line || !line->has_value()) {
            *out += line ? "end" : "error";
            co_return;
        }
        *out += "[" + **line + "]";
    }
}

}  // namespace

TEST_CASE("an answer's stream is sent as its pieces come and closes its connection", "[net]") {
    EventLoop loop;
    StreamingHandler handler;
    const Authority authority;
    const bool tls = GENERATE(true, false);
    auto options = tls ? tls_options(authority.serve({"127.0.0.1"})) : plain_options();
    SECTION("within the server's limits") {}
    SECTION("the limits are of the handler and of each piece, not of the whole") {
        options.handle_timeout = 400ms;
        options.write_timeout = 400ms;
    }
    auto server = HttpServer::start(loop, handler, options);
    REQUIRE(server);
    HttpClient client(
        to_server("127.0.0.1", (*server)->port(), tls ? authority.trusting() : nullptr)
    );
    std::string lines;
    TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(lines_into(&client, &lines));
    REQUIRE(run_until(loop, [&] { return lines == "[one][two]"; }));
    run_async(loop, pause_for(600ms));
    handler.last.lock()->pieces.emplace_back("three\n");
    REQUIRE(run_until(loop, [&] { return lines == "[one][two][three]"; }));
    handler.last.lock()->is_at_end = true;
    REQUIRE(run_until(loop, [&] { return lines == "[one][two][three]end"; }));
    CHECK(run_until(loop, [&] { return (*server)->connections() == 0; }));
    CHECK(handler.ended == 1);
}

TEST_CASE("HEAD for a stream has no body and waits for none", "[net]") {
    EventLoop loop;
    StreamingHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    const auto outcome = run_async(loop, client.send(ClientRequest{"HEAD", "/watch", {}, {}}, 5s));
    REQUIRE(outcome.response);
    CHECK(outcome.response->status == 200);
    CHECK(outcome.response->body.empty());
    CHECK(handler.ended == 1);
}

TEST_CASE("a client that has gone ends its stream", "[net]") {
    EventLoop loop;
    StreamingHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    {
        HttpClient client(to_server("127.0.0.1", (*server)->port()));
        std::string lines;
        TaskGroup tasks(loop.executor(), "test");
        tasks.spawn(lines_into(&client, &lines));
        REQUIRE(run_until(loop, [&] { return lines == "[one][two]"; }));
        run_async(loop, tasks.stop(0s));
    }
    // No piece is on its way.
    CHECK(run_until(loop, [&] { return (*server)->connections() == 0; }));
    CHECK(handler.ended == 1);
}

TEST_CASE("a server that stops ends its streams after the grace", "[net]") {
    EventLoop loop;
    StreamingHandler handler;
    auto server = HttpServer::start(loop, handler, plain_options());
    REQUIRE(server);
    HttpClient client(to_server("127.0.0.1", (*server)->port()));
    std::string lines;
    TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(lines_into(&client, &lines));
    REQUIRE(run_until(loop, [&] { return lines == "[one][two]"; }));
    run_async(loop, (*server)->stop(10ms));
    CHECK((*server)->connections() == 0);
    REQUIRE(run_until(loop, [&] { return lines.size() > 10; }));
    CHECK(lines == "[one][two]end");
    CHECK(handler.ended == 1);
}

}  // namespace sluice::net
