#include "controller/commands/embedded_cluster.hpp"

#include "controller/commands/cluster_setup.hpp"
#include "kube/core/base64.hpp"
#include "net/certificate.hpp"
#include "sim/node_spec.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <utility>

namespace sluice::commands {

namespace {

namespace asio = boost::asio;

/// How long the simulated cluster sleeps at most.
constexpr Duration kSleepMax = std::chrono::seconds(1);

/// Runs a function on the loop's thread and waits for what it returns.
template <class F>
auto call_on(net::EventLoop& loop, F function) {
    std::promise<decltype(function())> done;
    auto result = done.get_future();
    loop.post([&] { done.set_value(function()); });
    return result.get();
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(Options options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), token_(net::make_uuid()), thread_("apiserver") {}

EmbeddedCluster::~EmbeddedCluster() {
    if (http_) {
        net::run_on(thread_.loop(), http_->stop(std::chrono::milliseconds(200)));
    }
    thread_.join();
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(
    Options options, const Clock& clock
) {
    std::vector<json::Value> nodes;
    for (const std::string& description : options.nodes) {
        auto made = sim::make_nodes(description);
        if (!made) {
            return with_context(made.error(), "--nodes");
        }
        std::ranges::move(*made, std::back_inserter(nodes));
    }
    std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(std::move(options), clock));
    if (auto listening = cluster->listen(); !listening) {
        return listening.error();
    }
    if (cluster->options_.is_simulated) {
        call_on(cluster->thread_.loop(), [&] {
            for (const json::Value& node : nodes) {
                cluster->cluster_->add_node(node, clock.now());
            }
            return true;
        });
        asio::co_spawn(cluster->thread_.loop().executor(), cluster->simulate(), asio::detached);
    }
    return cluster;
}

Result<void> EmbeddedCluster::listen() {
    const net::Validity validity{.now = clock_.now()};
    const auto authority = net::make_authority("sluice dev", validity);
    if (!authority) {
        return authority.error();
    }
    const auto serving =
        net::make_serving_certificate(*authority, {"localhost", "127.0.0.1"}, validity);
    if (!serving) {
        return serving.error();
    }
    authority_ = authority->certificate_pem;
    server_ = std::make_unique<apiserver::ApiServer>(
        apiserver::ApiServer::Options{.seed = options_.seed}, clock_.now()
    );
    const auto executor = thread_.loop().executor();
    changed_ = std::make_unique<net::Notifier>(executor);
    if (options_.is_simulated) {
        cluster_ = std::make_unique<sim::SimulatedCluster>(
            *server_,
            sim::SimulatedCluster::Options{
                .run_time = options_.run_time,
                .send =
                    [this](apiserver::Request request, sim::SimulatedCluster::Answered answered) {
                        asio::co_spawn(
                            thread_.loop().executor(),
                            send(std::move(request), std::move(answered)),
                            asio::detached
                        );
                    },
                .job_batch = options_.job_batch
            }
        );
        server_->state().store.add_observer(
            [this](const apiserver::Collection&, const apiserver::LogEntry&) { changed_->notify(); }
        );
    }
    front_ = std::make_unique<apiserver::HttpFront>(
        *server_, clock_, apiserver::HttpFront::Options{.token = token_, .executor = executor}
    );
    net::ServerOptions options;
    options.address = "127.0.0.1";
    options.port = options_.port;
    options.certificate_pem = serving->certificate_pem;
    options.private_key_pem = serving->private_key_pem;
    auto http = net::HttpServer::start(thread_.loop(), *front_, std::move(options));
    if (!http) {
        return http.error();
    }
    http_ = std::move(*http);
    return {};
}

asio::awaitable<void> EmbeddedCluster::simulate() {
    for (;;) {
        cluster_->run(clock_.now());
        Duration wait = kSleepMax;
        if (const auto next = cluster_->next_time()) {
            wait = std::clamp<Duration>(*next - clock_.now(), Duration(), kSleepMax);
        }
        if (!cluster_->has_work()) {
            co_await changed_->wait(wait);
        }
        const bool cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
    }
}

asio::awaitable<void> EmbeddedCluster::send(
    apiserver::Request request, sim::SimulatedCluster::Answered answered
) {
    const apiserver::Response response = co_await front_->answer(std::move(request));
    answered(response, clock_.now());
    changed_->notify();
}

std::uint16_t EmbeddedCluster::port() const {
    return http_->port();
}

std::string EmbeddedCluster::kubeconfig() const {
    const json::Value cluster = json::Object{
        {"server", fmt::format("https://127.0.0.1:{}", port())},
        {"certificate-authority-data", kube::encode_base64(authority_)}
    };
    const json::Value config = json::Object{
        {"apiVersion", "v1"},
        {"kind", "Config"},
        {"clusters", json::Array{json::Object{{"name", kName}, {"cluster", cluster}}}},
        {"users",
         json::Array{json::Object{{"name", kName}, {"user", json::Object{{"token", token_}}}}}},
        {"contexts",
         json::Array{json::Object{
             {"name", kName}, {"context", json::Object{{"cluster", kName}, {"user", kName}}}
         }}},
        {"current-context", kName}
    };
    return json::print_pretty(config) + "\n";
}

apiserver::Response EmbeddedCluster::request(apiserver::Request request) {
    auto answer = asio::co_spawn(
        thread_.loop().executor(), front_->answer(std::move(request)), asio::use_future
    );
    return answer.get();
}

Result<void> EmbeddedCluster::apply(const json::Value& object) {
    auto made = call_on(thread_.loop(), [&] {
        return make_apply_request(server_->state().types, object, kName);
    });
    if (!made) {
        return made.error();
    }
    return read_answer(request(std::move(*made)));
}

}  // namespace sluice::commands
