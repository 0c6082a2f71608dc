#include "serving/path_table.hpp"

#include "net/http/http_client.hpp"
#include "serving/server_thread.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

// A table of paths on a thread of its own, asked over HTTP.
namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

/// Answers with the body of the request.
class Echo final : public net::HttpHandler {
  public:
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        net::ServerResponse response;
        const auto body = request.body.view();
        response.body = std::string(*body);
        co_return response;
    }
};

struct Served {
    net::EventLoop loop;
    std::atomic<int> pages = 0;
    std::thread::id thread_of_pages;
    ServerThread thread{"test"};
    net::HttpServer* server = nullptr;

    Served() {
        auto table = std::make_shared<PathTable>();
        table->add_page("/page", [this] {
            thread_of_pages = std::this_thread::get_id();
            ++pages;
            net::ServerResponse response;
            response.body = "a page";
            return response;
        });
        table->add_review("/review", std::make_shared<Echo>(), 1'000'000);
        table->add_review("/later-known", std::make_shared<Echo>(), 0);
        table->add_reviews("/later-", std::make_shared<Echo>(), 1'000'000);
        net::ServerOptions options;
        options.address = "127.0.0.1";
        options.tls = false;
        server = *thread.listen(std::move(table), options);
    }
    net::ClientResponse ask(
        const std::string& method, const std::string& target, std::string body
    ) {
        net::HttpClientOptions options;
        options.host = "127.0.0.1";
        options.port = server->port();
        net::HttpClient client(options);
        net::ClientRequest request;
        request.method = method;
        request.target = target;
        request.body = std::move(body);
        const auto outcome = test::run_async(loop, client.send(request, 10s));
        REQUIRE(outcome.response);
        return *outcome.response;
    }
};

}  // namespace

TEST_CASE("a page is answered to GET on the server's thread", "[serving]") {
    Served served;
    const auto answer = served.ask("GET", "/page?x=1", "");
    CHECK(answer.status == 200);
    CHECK(answer.body == "a page");
    served.thread.join();
    CHECK(served.pages == 1);
    CHECK(served.thread_of_pages != std::this_thread::get_id());
}

TEST_CASE("a review is answered to POST with its body", "[serving]") {
    Served served;
    const auto answer = served.ask("POST", "/review", "the body");
    CHECK(answer.status == 200);
    CHECK(answer.body == "the body");
}

TEST_CASE("reviews of a prefix are answered on all paths that begin so", "[serving]") {
    Served served;
    const auto answer = served.ask("POST", "/later-path", "the body");
    CHECK(answer.status == 200);
    CHECK(answer.body == "the body");
    CHECK(served.ask("POST", "/later-known", "a body").status == 413);
    CHECK(served.ask("GET", "/later-path", "").status == 405);
    CHECK(served.ask("POST", "/later", "the body").status == 404);
}

TEST_CASE("another method is refused with those that are allowed", "[serving]") {
    Served served;
    const auto* method = GENERATE("POST", "PUT", "DELETE", "PATCH", "OPTIONS");
    const auto page = served.ask(method, "/page", "");
    CHECK(page.status == 405);
    CHECK(net::find_header(page.headers, "Allow") == "GET, HEAD");
    const auto review = served.ask("GET", "/review", "");
    CHECK(review.status == 405);
    CHECK(net::find_header(review.headers, "Allow") == "POST");
    CHECK(served.pages == 0);
}

TEST_CASE("a page takes no body, and another path is not found", "[serving]") {
    Served served;
    const auto large = served.ask("GET", "/page", std::string(100'000, 'x'));
    CHECK(large.status == 413);
    CHECK(large.body == "Content Too Large: a request for this may have no body\n");
    CHECK(served.ask("GET", "/", "").status == 404);
    CHECK(served.ask("POST", "/page/", std::string(100'000, 'x')).status == 404);
    CHECK(served.pages == 0);
    CHECK(served.ask("GET", "/page", "").status == 200);
}

TEST_CASE("bind addresses are read with and without a host", "[serving]") {
    CHECK(parse_bind_address(":8081")->address.empty());
    CHECK(parse_bind_address("127.0.0.1:80")->address == "127.0.0.1");
    CHECK(parse_bind_address("[::1]:80")->address == "::1");
    CHECK(parse_bind_address("[::1]:80")->port == 80);
    CHECK(!parse_bind_address("8081"));
    CHECK(!parse_bind_address(":70000"));
    CHECK(!parse_bind_address(":"));
}

}  // namespace sluice::serving
