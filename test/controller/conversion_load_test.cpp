#include "controller/process/conversion_handler.hpp"
#include "controller/review_peer.hpp"
#include "net/certificate.hpp"
#include "net/event_loop.hpp"
#include "net/http_server.hpp"
#include "net/stream.hpp"
#include "support/process_memory.hpp"
#include "support/run_async.hpp"
#include "webhook/review_load.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
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

/// The conversion over TLS, with both ends on the loop of the test.
struct Service {
    net::EventLoop loop;
    net::WorkerThreads workers{"conversion", 2};
    ConversionHandler handler{workers};
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
};

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
    constexpr std::size_t kWanted = 2'000;
    constexpr std::size_t kBytesPerConnectionMax = 48 * kKiB;
    const auto count = raise_open_files(kWanted);
    if (count < kWanted) {
        WARN("this machine allows only " << count << " connections");
    }
    Service service;
    const auto load = ReviewLoad::small();
    std::vector<std::unique_ptr<ReviewPeer>> peers;
    // What the first ones allocate once for all does not count.
    for (int i = 0; i < 20; ++i) {
        peers.push_back(service.connect());
        REQUIRE(run_async(service.loop, peers.back()->ask(&load)).is_right);
    }
    const auto before = test::memory_of_process("VmRSS");
    while (peers.size() < count) {
        peers.push_back(service.connect());
    }
    for (const auto& peer : peers) {
        REQUIRE(run_async(service.loop, peer->ask(&load)).is_right);
    }
    CHECK(service.server->connections() == count);
    const auto grown = test::memory_of_process("VmRSS") - before;
    const auto each = grown / (count - 20);
    CAPTURE(count, each);
    std::printf("idle connection, both ends: %zu bytes\n", each);
    if (test::kMemoryIsMeasurable) {
        CHECK(each < kBytesPerConnectionMax);
    }
}

}  // namespace sluice::controller
