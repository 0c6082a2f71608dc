// Admission reviews of new Jobs for webhook_load.py: as many a second as a webhook answers, and how
// long one takes.
#include "net/http/http_client.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/tls.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

using namespace std::chrono_literals;
using SteadyTime = std::chrono::steady_clock::time_point;

struct Options {
    std::uint16_t port = 0;
    std::string path;
    std::size_t connections = 8;
    std::size_t reviews = 20'000;
};

/// A Job as the API server passes it on, with its defaults.
std::string make_review() {
    return R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{)"
           R"("uid":"7f0b2891-4a3b-4b2a-8f4a-1d6c7e0c6a11",)"
           R"("kind":{"group":"batch","version":"v1","kind":"Job"},)"
           R"("resource":{"group":"batch","version":"v1","resource":"jobs"},)"
           R"("requestKind":{"group":"batch","version":"v1","kind":"Job"},)"
           R"("requestResource":{"group":"batch","version":"v1","resource":"jobs"},)"
           R"("name":"job","namespace":"load","operation":"CREATE",)"
           R"("userInfo":{"username":"user","groups":["system:authenticated"]},)"
           R"("object":{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"job",)"
           R"("namespace":"load","creationTimestamp":null,)"
           R"("labels":{"kueue.x-k8s.io/queue-name":"queue-0"}},)"
           R"("spec":{"parallelism":1,"completions":1,"backoffLimit":6,"template":{)"
           R"("metadata":{"creationTimestamp":null},"spec":{"containers":[{"name":"work",)"
           R"("image":"work","resources":{"requests":{"cpu":"1","memory":"1Gi"}},)"
           R"("terminationMessagePath":"/dev/termination-log",)"
           R"("terminationMessagePolicy":"File","imagePullPolicy":"Always"}],)"
           R"("restartPolicy":"Never","terminationGracePeriodSeconds":30,)"
           R"("dnsPolicy":"ClusterFirst","securityContext":{},)"
           R"("schedulerName":"default-scheduler"}},"completionMode":"NonIndexed",)"
           R"("suspend":false},"status":{}},"oldObject":null,"dryRun":false,)"
           R"("options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}})";
}

class ReviewLoad {
  public:
    ReviewLoad(net::EventLoop& loop, const Options& options)
        : loop_(loop), options_(options), tasks_(loop.executor(), "reviews") {
        net::TlsClientOptions tls;
        tls.verify = false;
        auto context = net::make_client_tls(tls);
        if (!context) {
            fail(context.error().detail);
        }
        net::HttpClientOptions made;
        made.host = "127.0.0.1";
        made.port = options.port;
        made.tls = *std::move(context);
        client_ = std::make_unique<net::HttpClient>(std::move(made));
        took_.reserve(options.reviews);
    }

    void start() {
        start_ = std::chrono::steady_clock::now();
        running_ = options_.connections;
        for (std::size_t i = 0; i < options_.connections; ++i) {
            tasks_.spawn(send());
        }
    }
    void print() {
        std::ranges::sort(took_);
        const auto at = [this](double share) {
            return took_[static_cast<std::size_t>(share * static_cast<double>(took_.size() - 1))];
        };
        fmt::print(
            "{{\"rate\": {:.0f}, \"p50_ms\": {:.3f}, \"p99_ms\": {:.3f}}}\n",
            static_cast<double>(took_.size()) / seconds_,
            1'000 * at(0.5),
            1'000 * at(0.99)
        );
    }

  private:
    [[noreturn]] static void fail(const std::string& what) {
        fmt::print(stderr, "review_load: {}\n", what);
        std::exit(1);
    }
    static double seconds_since(SteadyTime start) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    boost::asio::awaitable<void> send() {
        while (sent_ < options_.reviews) {
            ++sent_;
            net::ClientRequest request;
            request.method = "POST";
            request.target = options_.path;
            request.headers.push_back({"Content-Type", "application/json"});
            request.body = review_;
            const auto begin = std::chrono::steady_clock::now();
            const auto outcome = co_await client_->send(std::move(request), 10s);
            if (!outcome.response || outcome.response->status != 200 ||
                outcome.response->body.find(R"("allowed":true)") == std::string::npos) {
                fail(outcome.response ? outcome.response->body : outcome.response.error().detail);
            }
            took_.push_back(seconds_since(begin));
        }
        if (--running_ == 0) {
            seconds_ = seconds_since(start_);
            loop_.stop();
        }
    }

    net::EventLoop& loop_;
    const Options& options_;
    const std::string review_ = make_review();
    std::unique_ptr<net::HttpClient> client_;
    net::TaskGroup tasks_;
    std::vector<double> took_;
    SteadyTime start_;
    std::size_t sent_ = 0;
    std::size_t running_ = 0;
    double seconds_ = 0;
};

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
    CLI::App app("Sends admission reviews to a webhook on this machine; prints how fast it was");
    sluice::Options options;
    app.add_option("--port", options.port)->required();
    app.add_option("--path", options.path)->required();
    app.add_option("--connections", options.connections, "Reviews at a time");
    app.add_option("--reviews", options.reviews);
    CLI11_PARSE(app, argc, argv);
    sluice::net::EventLoop loop;
    sluice::ReviewLoad load(loop, options);
    load.start();
    loop.run();
    load.print();
    // Connections that are open need not be said goodbye to.
    std::fflush(stdout);
    std::_Exit(0);
}
