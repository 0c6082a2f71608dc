#include "serving/delegated_authorization.hpp"

#include "json/value.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace sluice::serving {
namespace {

using namespace std::chrono_literals;

const Error kNotPlayed{ErrorCode::Invalid, "not played", {}};

/// The API server's part: it knows the tokens `reader` and `stranger`, and lets the first read
/// /metrics.
class Reviews final : public kube::Client {
  public:
    kube::Async<std::string> create(kube::ResourcePath path, std::string body, kube::WriteOptions)
        override {
        ++calls;
        if (is_down) {
            co_return Error{ErrorCode::Unavailable, "no answer", {}};
        }
        const auto review = json::parse(body);
        const json::Value& spec = *review->find("spec");
        json::Value status = json::Object{};
        if (path.plural == "tokenreviews") {
            const std::string token(spec.string_at("token"));
            const bool is_known = token == "reader" || token == "stranger";
            status.set("authenticated", is_known);
            status.set("user", json::Object{{"username", token}, {"groups", json::Array{"g"}}});
        } else {
            const json::Value& asked = *spec.find("nonResourceAttributes");
            status.set(
                "allowed",
                spec.string_at("user") == "reader" && asked.string_at("path") == "/metrics" &&
                    asked.string_at("verb") == "get" && spec.find("groups") != nullptr
            );
        }
        co_return json::print(json::Object{{"status", std::move(status)}});
    }
    kube::Async<std::string> get(kube::ResourcePath, kube::GetOptions) override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> list(kube::ResourcePath, kube::ListOptions) override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> update(kube::ResourcePath, std::string, kube::WriteOptions) override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> merge_patch(kube::ResourcePath, std::string, kube::WriteOptions)
        override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> apply(kube::ResourcePath, std::string, kube::ApplyOptions) override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> remove(kube::ResourcePath, kube::DeleteOptions) override {
        co_return kNotPlayed;
    }
    kube::Async<std::unique_ptr<kube::WatchStream>> watch(kube::ResourcePath, kube::WatchOptions)
        override {
        co_return kNotPlayed;
    }
    kube::Async<std::string> get_raw(std::string, kube::GetOptions) override {
        co_return kNotPlayed;
    }

    int calls = 0;
    bool is_down = false;
};

/// A page behind the check.
struct Page final : public net::HttpHandler {
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest) override {
        co_return net::ServerResponse{.status = 200, .body = "page"};
    }
};

struct Served {
    net::EventLoop loop;
    test::ManualClock clock{Time(24h)};
    Reviews reviews;
    DelegatedAuthorization authorization{reviews, clock};
    AuthorizedHandler handler{std::make_shared<Page>(), authorization};

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
    CHECK(served.reviews.calls == calls + 2);
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
