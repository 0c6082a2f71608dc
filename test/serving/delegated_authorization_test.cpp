#include "serving/delegated_authorization.hpp"

#include "json/value.hpp"
#include "support/manual_clock.hpp"
#include "support/review_client.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

/// The API server's part: it knows the tokens `reader` and `stranger`, and lets the first read
/// /metrics.
json::Value answer_review(const kube::ResourcePath& path, const json::Value& spec) {
    if (path.plural == "tokenreviews") {
        const std::string token(spec.string_at("token"));
        const bool is_known = token == "reader" || token == "stranger";
        return json::Object{
            {"authenticated", is_known},
            {"user", json::Object{{"username", token}, {"groups", json::Array{"g"}}}},
        };
    }
    const json::Value& asked = *spec.find("nonResourceAttributes");
    return json::Object{
        {"allowed",
         spec.string_at("user") == "reader" && asked.string_at("path") == "/metrics" &&
             asked.string_at("verb") == "get" && spec.find("groups") != nullptr},
    };
}

/// A page behind the check.
struct Page final : public net::HttpHandler {
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest) override {
        co_return net::ServerResponse{.status = 200, .body = "page"};
    }
};

struct Served {
    net::EventLoop loop;
    test::ManualClock clock{Time(24h)};
    test::ReviewClient reviews{answer_review};
    AccessReviews access{reviews, clock};
    AuthorizedHandler handler{std::make_shared<Page>(), access};

    int ask(const std::string& authorization_header, const std::string& path = "/metrics") {
        net::ServerRequest request;
        request.method = "GET";
        request.target = path;
        if (!authorization_header.empty()) {
            request.headers.push_back({"Authorization", authorization_header});
        }
        return test::run_async(loop, handler.handle(std::move(request))).status;
    }
};

}  // namespace

TEST_CASE("a page is for those whose token the API server knows and allows", "[serving]") {
    Served served;
    CHECK(served.ask("Bearer reader") == 200);
    CHECK(served.ask("bearer reader") == 200);
    CHECK(served.ask("Bearer stranger") == 403);
    CHECK(served.ask("Bearer unknown") == 401);
    CHECK(served.ask("Bearer reader", "/metrics/other") == 403);
}

TEST_CASE("a request without a token asks the API server nothing", "[serving]") {
    Served served;
    CHECK(served.ask("") == 401);
    CHECK(served.ask("Bearer ") == 401);
    CHECK(served.ask("Basic cmVhZGVy") == 401);
    CHECK(served.reviews.calls == 0);
}

TEST_CASE("what the API server said is kept for a while", "[serving]") {
    Served served;
    CHECK(served.ask("Bearer reader") == 200);
    CHECK(served.reviews.calls == 2);
    served.reviews.is_down = true;
    served.clock.advance(59s);
    CHECK(served.ask("Bearer reader") == 200);
    served.clock.advance(2s);
    CHECK(served.ask("Bearer reader") == 500);
    served.reviews.is_down = false;
    CHECK(served.ask("Bearer reader") == 200);
    CHECK(served.ask("Bearer stranger") == 403);
    const int calls = served.reviews.calls;
    CHECK(served.ask("Bearer stranger") == 403);
    CHECK(served.reviews.calls == calls);
    served.clock.advance(11s);
    CHECK(served.ask("Bearer stranger") == 403);
    CHECK(served.reviews.calls == calls + 1);  // the token itself is known for longer
}

TEST_CASE("a crowd of tokens does not grow what is kept", "[serving]") {
    Served served;
    CHECK(served.ask("Bearer reader") == 200);
    for (int i = 0; i < 1000; ++i) {
        CHECK(served.ask("Bearer guess" + std::to_string(i)) == 401);
    }
    const int calls = served.reviews.calls;
    CHECK(served.ask("Bearer reader") == 200);  // kept longer than the refusals
    CHECK(served.reviews.calls == calls);
}

}  // namespace sluice::serving
