// One large conversion review over TLS while another client asks small ones: how long it takes, how
// long the small ones take meanwhile, and what the process, both ends of it, holds at most.
//
//     conversion_bench [MEBIBYTES]

#include "controller/process/webhooks/conversion_handler.hpp"
#include "controller/review_peer.hpp"
#include "net/http/http_server.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/worker_threads.hpp"
#include "net/transport/certificate.hpp"
#include "net/transport/stream.hpp"
#include "support/process_memory.hpp"
#include "support/run_async.hpp"
#include "webhook/review_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using test::ReviewLoad;
using test::ReviewPeer;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMiB = std::size_t{1024} * 1024;

double in_ms(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

struct Target {
    std::uint16_t port = 0;
    std::shared_ptr<net::TlsContext> trusting;

    std::unique_ptr<ReviewPeer> connect(net::EventLoop& loop) const {
        const net::Endpoint endpoint{"127.0.0.1", port, trusting};
        auto stream = test::run_async(loop, net::connect(endpoint, Deadline::after(20s)));
        if (!stream) {
            fail(stream.error().detail);
        }
        (*stream)->expires_after(600s);
        return std::make_unique<ReviewPeer>(std::move(*stream));
    }
};

/// The median and the longest time of small reviews, asked one after the other.
struct Latency {
    std::vector<double> ms;
    std::size_t anonymous_max = 0;

    void ask(net::EventLoop& loop, ReviewPeer& peer, const ReviewLoad& small) {
        const auto start = Clock::now();
        if (!test::run_async(loop, peer.ask(&small)).is_right) {
            fail("a small review was not answered right");
        }
        ms.push_back(in_ms(Clock::now() - start));
        anonymous_max = std::max(anonymous_max, test::memory_of_process("RssAnon"));
        test::run_async(loop, net::pause_for(1ms));
    }
    void print(const char* when) {
        std::ranges::sort(ms);
        std::printf(
            "%-28s %6zu small reviews, median %.2f ms, 99%% %.2f ms, longest %.2f ms\n",
            when,
            ms.size(),
            ms[ms.size() / 2],
            ms[ms.size() * 99 / 100],
            ms.back()
        );
    }
};

void run(std::size_t mebibytes) {
    net::LoopThread thread("webhook");
    net::WorkerThreads workers("conversion", 4);
    ConversionHandler handler(workers);
    const net::Validity day{SystemClock().now(), 24h};
    const auto authority = *net::make_authority("bench", day);
    const auto serving = *net::make_serving_certificate(authority, {"127.0.0.1"}, day);
    net::ServerOptions options;
    options.address = "127.0.0.1";
    options.certificate_pem = serving.certificate_pem;
    options.private_key_pem = serving.private_key_pem;
    auto server = *net::HttpServer::start(thread.loop(), handler, options);
    const Target target{
        server->port(), *net::make_client_tls({authority.certificate_pem, {}, true, {}, {}})
    };

    net::EventLoop small_loop;
    const auto small = ReviewLoad::small();
    const auto small_peer = target.connect(small_loop);
    Latency alone;
    for (int i = 0; i < 500; ++i) {
        alone.ask(small_loop, *small_peer, small);
    }
    alone.print("alone");

    const ReviewLoad large(mebibytes * kMiB);
    std::atomic<bool> is_done = false;
    test::ReviewReply reply;
    const auto start = Clock::now();
    std::thread sender([&] {
        net::EventLoop loop;
        reply = test::run_async(loop, target.connect(loop)->ask(&large));
        is_done = true;
    });
    Latency meanwhile;
    while (!is_done) {
        meanwhile.ask(small_loop, *small_peer, small);
    }
    sender.join();
    const auto took = Clock::now() - start;
    if (!reply.is_right) {
        fail("the large review was not answered right: " + std::to_string(reply.status));
    }
    meanwhile.print("beside the large one");
    std::printf(
        "%zu MiB, %zu objects: %.1f s; at most %zu MiB resident, %zu MiB of it not in files\n",
        mebibytes,
        large.objects(),
        in_ms(took) / 1000,
        test::memory_of_process("VmHWM") / kMiB,
        meanwhile.anonymous_max / kMiB
    );
    net::EventLoop loop;
    const ReviewLoad too_large(options.body_bytes_max + 1);
    const auto refused = test::run_async(loop, target.connect(loop)->ask(&too_large));
    std::printf("%zu bytes: %d %s", too_large.bytes(), refused.status, refused.body.c_str());
    net::run_on(thread.loop(), server->stop(1s));
    thread.join();
}

}  // namespace
}  // namespace sluice::controller

int main(int argc, char** argv) {
    const char* text = argc > 1 ? argv[1] : "256";
    const auto mebibytes = std::strtoul(text, nullptr, 10);
    if (mebibytes == 0) {
        std::fprintf(stderr, "\"%s\" is no number of mebibytes\n", text);
        return 1;
    }
    sluice::controller::run(mebibytes);
    return 0;
}
