#include "controller/commands/cluster/embedded_cluster.hpp"

#include "apiserver/cluster_content.hpp"
#include "apiserver/operations/namespace_content.hpp"
#include "controller/commands/cluster/cluster_setup.hpp"
#include "controller/commands/cluster/node_files.hpp"
#include "sim/pods/node_spec.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <utility>

namespace sluice::commands {

namespace {

namespace asio = boost::asio;

/// The longest time that the simulated cluster sleeps.
constexpr Duration kSleepMax = std::chrono::seconds(1);

/// Runs a function on the loop's thread, waits for it, and returns its result.
template <class F>
auto call_on(net::EventLoop& loop, F function) {
    std::promise<decltype(function())> done;
    auto result = done.get_future();
    loop.post([&] { done.set_value(function()); });
    return result.get();
}

}  // namespace

EmbeddedCluster::EmbeddedCluster(Options options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), thread_("apiserver") {}

EmbeddedCluster::~EmbeddedCluster() {
    if (endpoint_ && endpoint_->is_serving()) {
        net::run_on(thread_.loop(), endpoint_->stop());
    }
    thread_.join();
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::start(
    Options options, const Clock& clock
) {
    const auto nodes = read_nodes(options.nodes);
    if (!nodes) {
        return nodes.error();
    }
    std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(std::move(options), clock));
    if (auto listening = cluster->listen(); !listening) {
        return listening.error();
    }
    if (cluster->options_.is_simulated) {
        call_on(cluster->thread_.loop(), [&] {
            for (const json::Value& node : *nodes) {
                if (!cluster->has_node(node)) {
                    cluster->cluster_->add_node(node, clock.now());
                }
            }
            return true;
        });
        asio::co_spawn(cluster->thread_.loop().executor(), cluster->simulate(), asio::detached);
    }
    return cluster;
}

Result<void> EmbeddedCluster::listen() {
    auto endpoint = ApiEndpoint::make(clock_.now());
    if (!endpoint) {
        return endpoint.error();
    }
    endpoint_ = std::move(*endpoint);
    server_ = std::make_unique<apiserver::ApiServer>(
        apiserver::ApiServer::Options{
            .seed = options_.seed,
            .root_ca = endpoint_->authority(),
            .administrator_token = endpoint_->token(),
            .has_controller = options_.has_controller,
        },
        clock_.now()
    );
    if (options_.image) {
        apiserver::restore_image(server_->state(), std::move(*options_.image));
        options_.image.reset();
        publish_authority();
    }
    changed_ = std::make_unique<net::Notifier>(thread_.loop().executor());
    if (options_.is_simulated) {
        cluster_ = std::make_unique<sim::SimulatedCluster>(
            *server_,
            sim::SimulatedCluster::Options{
                .pace = options_.pace,
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
    auto serving = endpoint_->serve(thread_.loop(), *server_, clock_, {.port = options_.port});
    if (!serving) {
        return serving;
    }
    call_on(thread_.loop(), [&] {
        apiserver::add_own_service(*server_, port(), clock_.now());
        return true;
    });
    return {};
}

/// Restored namespaces contain the CA certificate of the previous run; replaces it by the current
/// one.
void EmbeddedCluster::publish_authority() {
    apiserver::State& state = server_->state();
    std::vector<std::string> namespaces;
    for (const auto& [name, object] : state.store.objects({"", "namespaces"})) {
        namespaces.push_back(name.name);
    }
    for (const std::string& ns : namespaces) {
        apiserver::restore_furniture(
            state, {"", "configmaps"}, {ns, "kube-root-ca.crt"}, clock_.now()
        );
    }
}

asio::awaitable<void> EmbeddedCluster::simulate() {
    for (;;) {
        cluster_->run_round(clock_.now());
        Duration wait = kSleepMax;
        if (const auto next = cluster_->next_time()) {
            wait = std::clamp<Duration>(*next - clock_.now(), Duration(), kSleepMax);
        }
        if (cluster_->has_work()) {
            // This thread also serves requests: they must not wait until all work is done.
            co_await asio::post(thread_.loop().executor(), asio::use_awaitable);
        } else {
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
    const apiserver::Response response = co_await endpoint_->front().answer(std::move(request));
    answered(response, clock_.now());
    changed_->notify();
}

bool EmbeddedCluster::has_node(const json::Value& node) const {
    const json::Value* metadata = node.find("metadata");
    return server_->state().store.find(
               {"", "nodes"}, {"", std::string(metadata->string_at("name"))}
           ) != nullptr;
}

apiserver::Response EmbeddedCluster::request(apiserver::Request request) {
    auto answer = asio::co_spawn(
        thread_.loop().executor(), endpoint_->front().answer(std::move(request)), asio::use_future
    );
    return answer.get();
}

void EmbeddedCluster::look(const std::function<void(const apiserver::State&)>& function) {
    call_on(thread_.loop(), [&] {
        function(server_->state());
        return true;
    });
}

Result<void> EmbeddedCluster::apply(const json::Value& object) {
    auto made = call_on(thread_.loop(), [&] {
        return make_apply_request(server_->state().types, object, ApiEndpoint::kName);
    });
    if (!made) {
        return made.error();
    }
    return read_answer(request(std::move(*made)));
}

Result<void> EmbeddedCluster::apply_manifest(const json::Value& object) {
    auto annotated =
        call_on(thread_.loop(), [&] { return with_last_applied(server_->state().types, object); });
    return apply(annotated);
}

}  // namespace sluice::commands
