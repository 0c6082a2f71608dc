#include "controller/process/webhooks/conversion_handler.hpp"

#include "net/loop/event_loop.hpp"
#include "net/loop/worker_threads.hpp"
#include "support/run_async.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <latch>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

std::string review_of(const std::string& status) {
    return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{)"
           R"("uid":"u","desiredAPIVersion":"kueue.x-k8s.io/v1beta2","objects":[{)"
           R"("apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload",)"
           R"("metadata":{"name":"w","namespace":"ns"},"spec":{},"status":)" +
           status + "}]}}";
}

/// A handler whose only worker is busy until the end.
struct BusyHandler {
    net::EventLoop loop;
    net::WorkerThreads workers{"test", 1};
    ConversionHandler handler{workers};
    std::latch worker_may_go{1};
    int status = 0;

    BusyHandler() {
        net::WorkerThreads::Work wait = [this](const std::stop_token&) { worker_may_go.wait(); };
        spawn(
            [](net::WorkerThreads& on,
               net::WorkerThreads::Work work) -> boost::asio::awaitable<void> {
                co_await on.run(std::move(work));
            }(workers, std::move(wait))
        );
    }
    ~BusyHandler() {
        release();
        loop.run_until_idle(10s);
    }
    BusyHandler(const BusyHandler&) = delete;
    BusyHandler& operator=(const BusyHandler&) = delete;

    void spawn(boost::asio::awaitable<void> work) {
        boost::asio::co_spawn(loop.executor(), std::move(work), boost::asio::detached);
    }
    void ask(const std::string& body) {
        net::ServerRequest request;
        request.method = "POST";
        request.target = "/convert";
        request.body = net::SpooledBody(body);
        spawn([](BusyHandler& self, net::ServerRequest given) -> boost::asio::awaitable<void> {
            const auto response = co_await self.handler.handle(std::move(given));
            self.status = response.status;
        }(*this, std::move(request)));
        test::run_what_is_ready(loop);
    }
    void release() {
        if (!worker_may_go.try_wait()) {
            worker_may_go.count_down();
        }
    }
};

}  // namespace

TEST_CASE("a small review is answered while the workers are busy", "[controller][conversion]") {
    BusyHandler busy;
    busy.ask(review_of("{}"));
    CHECK(busy.status == 200);
}

TEST_CASE(
    "a small review that may state many domains goes to a worker", "[controller][conversion]"
) {
    BusyHandler busy;
    busy.ask(review_of(R"({"topologyAssignment":null})"));
    CHECK(busy.status == 0);
    busy.release();
    CHECK(test::run_until(busy.loop, [&] { return busy.status == 200; }));
}

TEST_CASE("answers that are being made or sent share a limit", "[controller][conversion]") {
    net::EventLoop loop;
    net::WorkerThreads workers{"test", 1};
    const auto budget = std::make_shared<AnswerBudget>(100'000);
    ConversionHandler handler(workers, budget);
    const auto ask = [&](const std::string& status) {
        net::ServerRequest request;
        request.method = "POST";
        request.target = "/convert";
        request.body = net::SpooledBody(review_of(status));
        return test::run_async(loop, handler.handle(std::move(request)));
    };
    const auto status_of = [&](const std::string& status) { return ask(status).status; };
    const auto are_taken = [&budget](std::size_t bytes) {
        const std::size_t rest = budget->bytes_max() - bytes;
        const bool is_rest_free = budget->take(rest);
        const bool is_more_free = budget->take(1);
        if (is_more_free) {
            budget->give_back(1);
        }
        if (is_rest_free) {
            budget->give_back(rest);
        }
        return is_rest_free && !is_more_free;
    };
    {
        const auto answer = ask("{}");
        CHECK(answer.status == 200);
        CHECK(answer.size() > 0);
        CHECK(are_taken(answer.size()));
    }
    CHECK(are_taken(0));
    REQUIRE(budget->take(99'999));
    CHECK(status_of("{}") == 503);
    CHECK(are_taken(99'999));
    budget->give_back(99'999);
    CHECK(status_of("{}") == 200);
    const std::string large =
        R"({"conditions":[{"type":"t","message":")" + std::string(200'000, 'x') + R"("}]})";
    CHECK(status_of(large) == 400);
    CHECK(are_taken(0));
}

TEST_CASE("reviews and answers fit into the chart's scratch folder", "[controller][conversion]") {
    constexpr std::size_t kScratchSizeLimit = std::size_t{1280} << 20;
    CHECK(net::ServerOptions().bytes_in_flight_max + AnswerBudget::kBytesMax < kScratchSizeLimit);
}

TEST_CASE("an escape hides no topology from that choice", "[controller][conversion]") {
    BusyHandler busy;
    busy.ask(review_of(R"({"topology\u0041ssignment":null})"));
    CHECK(busy.status == 0);
}

}  // namespace sluice::controller
