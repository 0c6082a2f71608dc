#include "controller/process/webhooks/conversion_handler.hpp"
#include "controller/review_peer.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/worker_threads.hpp"
#include "net/transport/certificate.hpp"
#include "net/transport/stream.hpp"
#include "support/process_memory.hpp"
#include "support/run_async.hpp"
#include "webhook/review_load.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using test::ReviewLoad;
using test::ReviewPeer;
using test::run_async;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

/// Counts the requests that a handler has not answered.
class CountingHandler final : public net::HttpHandler {
  public:
    explicit CountingHandler(net::HttpHandler& handler) : handler_(handler) {}
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        ++unanswered;
        auto response = co_await handler_.handle(std::move(request));
        --unanswered;
        co_return response;
    }
    std::size_t unanswered = 0;

  private:
    net::HttpHandler& handler_;
};

/// The conversion over TLS, with both ends on the loop of the test.
struct Service {
    net::EventLoop loop;
    net::WorkerThreads workers{"conversion", 2};
    ConversionHandler conversion{workers};
    CountingHandler handler{conversion};
    std::shared_ptr<net::TlsContext> trusting;
    std::unique_ptr<net::HttpServer> server;

    explicit Service(net::ServerOptions options = {}) {
        const net::Validity day{SystemClock().now(), 24h};
        const auto authority = *net::make_authority("test authority", day);
        const auto serving = *net::make_serving_certificate(authority, {"127.0.0.1"}, day);
        options.address = "127.0.0.1";
        options.certificate_pem = serving.certificate_pem;
        options.private_key_pem = serving.private_key_pem;
        trusting = *net::make_client_tls({authority.certificate_pem, {}, true, {}, {}});
        server = *net::HttpServer::start(loop, handler, options);
    }
    std::unique_ptr<ReviewPeer> connect() {
        const net::Endpoint endpoint{"127.0.0.1", server->port(), trusting};
        auto stream = run_async(loop, net::connect(endpoint, Deadline::after(20s)));
        REQUIRE(stream);
        (*stream)->expires_after(50s);
        return std::make_unique<ReviewPeer>(std::move(*stream));
    }
    test::ReviewReply ask(ReviewPeer& peer, const ReviewLoad& load) {
        return run_async(loop, peer.ask(&load));
    }
};

/// Asks and notes the name when the right answer is there.
boost::asio::awaitable<void> note(
    ReviewPeer* peer, const ReviewLoad* load, std::string name, std::vector<std::string>* order
) {
    const auto reply = co_await peer->ask(load);
    order->push_back(name + (reply.is_right ? "" : " failed"));
}

boost::asio::awaitable<void> occupy(net::WorkerThreads* workers, net::WorkerThreads::Work work) {
    co_await workers->run(std::move(work));
}

/// How many connections with both ends in this process may be open: up to `wanted`.
std::size_t raise_open_files(std::size_t wanted) {
    constexpr rlim_t kOther = 100;
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlim_t needed = 2 * wanted + kOther;
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = std::min(needed, limit.rlim_max);
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    return std::min<std::size_t>(wanted, (limit.rlim_cur - kOther) / 2);
}

}  // namespace

TEST_CASE(
    "thousands of idle connections cost little, and each is answered", "[conversion][connections]"
) {
    // Sanitizers make a handshake several times as dear, and there is nothing to measure.
    constexpr std::size_t kWanted = test::kMemoryIsMeasurable ? 2'000 : 500;
    constexpr std::size_t kFirst = 20;
    const auto count = raise_open_files(kWanted);
    if (count < kWanted) {
        WARN("this machine allows only " << count << " connections");
    }
    Service service;
    const auto load = ReviewLoad::small();
    std::vector<std::unique_ptr<ReviewPeer>> peers;
    // What the first ones allocate once for all does not count.
    while (peers.size() < kFirst) {
        peers.push_back(service.connect());
        REQUIRE(service.ask(*peers.back(), load).is_right);
    }
    const auto before = test::memory_of_process("VmRSS");
    while (peers.size() < count) {
        peers.push_back(service.connect());
    }
    CHECK(service.server->connections() == count);
    for (const auto& peer : peers) {
        REQUIRE(service.ask(*peer, load).is_right);
    }
    CHECK(service.server->connections() == count);
    const auto each = (test::memory_of_process("VmRSS") - before) / (count - kFirst);
    CAPTURE(count, each);
    // Both ends, about 46 KiB; with Asio's TLS streams and a read buffer it was 250 KiB.
    CHECK((each < 64 * kKiB || !test::kMemoryIsMeasurable));
}

TEST_CASE("a slow connection meets its deadline and harms no other", "[conversion][connections]") {
    net::ServerOptions options;
    options.header_timeout = 500ms;
    options.body_timeout = 500ms;
    Service service(options);
    const auto load = ReviewLoad::small();
    const auto other = service.connect();
    REQUIRE(service.ask(*other, load).is_right);
    const auto* begun =
        GENERATE("POST /conv", "POST /convert HTTP/1.1\r\nContent-Length: 99\r\n\r\n{");
    CAPTURE(begun);
    const auto slow = service.connect();
    REQUIRE(run_async(service.loop, slow->stream().write(begun)));
    REQUIRE(service.server->connections() == 2);
    while (service.server->connections() == 2) {
        REQUIRE(service.ask(*other, load).is_right);
    }
    CHECK(run_async(service.loop, slow->receive(&load)).status == 0);
    CHECK(service.ask(*other, load).is_right);
}

TEST_CASE("a peer that never shakes hands is dropped", "[conversion][connections]") {
    net::ServerOptions options;
    options.header_timeout = 500ms;
    Service service(options);
    const net::Endpoint plain{"127.0.0.1", service.server->port(), nullptr};
    const auto silent = run_async(service.loop, net::connect(plain, Deadline::after(20s)));
    REQUIRE(silent);
    const auto load = ReviewLoad::small();
    const auto other = service.connect();
    REQUIRE(service.server->connections() == 2);
    while (service.server->connections() == 2) {
        REQUIRE(service.ask(*other, load).is_right);
    }
    char byte = 0;
    const auto read = run_async(service.loop, (*silent)->read_some(&byte, 1));
    CHECK((read && *read == 0));
}

TEST_CASE(
    "idle connections and half-made handshakes do not keep a review out",
    "[conversion][connections]"
) {
    net::ServerOptions options;
    options.connections_max = GENERATE(std::size_t{16}, std::size_t{1000});
    options.connections_per_peer_max = 16;  // all are of one address
    Service service(options);
    const auto load = ReviewLoad::small();
    std::vector<std::unique_ptr<ReviewPeer>> idle;
    std::vector<std::unique_ptr<net::Stream>> silent;
    const net::Endpoint plain{"127.0.0.1", service.server->port(), nullptr};
    for (int i = 0; i < 40; ++i) {
        idle.push_back(service.connect());
        auto half_made = run_async(service.loop, net::connect(plain, Deadline::after(20s)));
        REQUIRE(half_made);
        // The beginning of a handshake record whose rest never comes.
        REQUIRE(run_async(service.loop, (*half_made)->write("\x16\x03\x01")));
        silent.push_back(std::move(*half_made));
    }
    CHECK(service.server->connections() == 16);
    CHECK(service.ask(*service.connect(), load).is_right);
    CHECK(service.server->connections() <= 16);
}

TEST_CASE("a list of many objects is converted, spooled both ways", "[conversion]") {
    Service service;
    const ReviewLoad load(4 * kMiB);
    const auto peer = service.connect();
    const auto before = test::memory_of_process("RssAnon");
    REQUIRE(service.ask(*peer, load).is_right);
    // Neither request nor answer stays in memory, and the connection goes on.
    const auto after = test::memory_of_process("RssAnon");
    CHECK((after < before + 2 * kMiB || !test::kMemoryIsMeasurable));
    CHECK(service.ask(*peer, ReviewLoad::small()).is_right);
    CHECK(service.handler.unanswered == 0);
}

TEST_CASE("a body of one byte too much is refused, and the server goes on", "[conversion]") {
    constexpr std::size_t kMax = 300 * kKiB;
    net::ServerOptions options;
    options.body_bytes_max = kMax;
    Service service(options);
    CHECK(service.ask(*service.connect(), ReviewLoad(kMax)).is_right);
    const auto refused = service.ask(*service.connect(), ReviewLoad(kMax + 1));
    CHECK(refused.status == 413);
    CHECK(
        refused.body == "Content Too Large: the body of a request may have at most 307200 bytes\n"
    );
    CHECK(service.ask(*service.connect(), ReviewLoad(kMax)).is_right);
}

TEST_CASE("small reviews are answered while large ones are converted", "[conversion]") {
    Service service;
    const ReviewLoad large(kMiB);
    const auto first = service.connect();
    const auto second = service.connect();
    std::vector<std::string> order;
    net::TaskGroup tasks(service.loop.executor(), "test");
    // Both workers are held up, so that the large ones cannot be ready before the small ones.
    std::promise<void> release;
    const auto released = release.get_future().share();
    const net::WorkerThreads::Work wait = [released](const std::stop_token&) { released.wait(); };
    tasks.spawn(occupy(&service.workers, wait));
    tasks.spawn(occupy(&service.workers, wait));
    tasks.spawn(note(first.get(), &large, "large", &order));
    tasks.spawn(note(second.get(), &large, "large", &order));
    while (service.handler.unanswered < 2) {
        run_async(service.loop, net::pause_for(1ms));
    }
    const auto third = service.connect();
    const auto small = ReviewLoad::small();
    for (int i = 0; i < 20; ++i) {
        run_async(service.loop, note(third.get(), &small, "small", &order));
    }
    CHECK(order == std::vector<std::string>(20, "small"));
    release.set_value();
    CHECK(run_async(service.loop, tasks.wait()));
    REQUIRE(order.size() == 22);
    CHECK(order[20] == "large");
    CHECK(order[21] == "large");
}

TEST_CASE("a server that stops gives up the large review that it converts", "[conversion]") {
    Service service;
    const ReviewLoad large(8 * kMiB);
    const auto peer = service.connect();
    std::vector<std::string> order;
    net::TaskGroup tasks(service.loop.executor(), "test");
    tasks.spawn(note(peer.get(), &large, "large", &order));
    while (service.handler.unanswered == 0) {
        run_async(service.loop, net::pause_for(1ms));
    }
    run_async(service.loop, service.server->stop(0s));
    CHECK(service.server->connections() == 0);
    CHECK(service.handler.unanswered == 0);
    run_async(service.loop, tasks.stop(20s));
    CHECK(order == std::vector<std::string>{"large failed"});
}

}  // namespace sluice::controller
