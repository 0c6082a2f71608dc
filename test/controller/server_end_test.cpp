#include "controller/known_stores.hpp"
#include "controller/process/status_servers.hpp"
#include "controller/process/visibility_service.hpp"
#include "kube/client/http_client.hpp"
#include "kube/client/leader_thread.hpp"
#include "net/http/http_client.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/tls.hpp"
#include "serving/server_thread.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

// Each server is asked once before it ends: the client with which it asks the API server then has
// an open connection and a timer on the server's loop. Under the address sanitizer these tests show
// whether they outlive the loop.

namespace sluice::controller {
namespace {

using namespace std::chrono_literals;

const SystemClock kClock;

/// Knows every token and allows nothing.
class KnowingApi final : public net::HttpHandler {
  public:
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest /*request*/) override {
        ++requests;
        net::ServerResponse response;
        response.status = 200;
        response.content_type = "application/json";
        response.body =
            R"({"status":{"authenticated":true,"allowed":false,"user":{"username":"u"}}})";
        co_return response;
    }
    std::atomic<int> requests = 0;
};

struct Api {
    std::shared_ptr<KnowingApi> handler = std::make_shared<KnowingApi>();
    serving::ServerThread thread{"api"};
    net::HttpServer* server = nullptr;

    Api() {
        net::ServerOptions options;
        options.address = "127.0.0.1";
        options.tls = false;
        server = *thread.listen(handler, options);
    }
    /// A client of its own, as the controller gives each server one.
    std::unique_ptr<kube::Client> connect() const {
        kube::ClientConfig config;
        config.host = "127.0.0.1";
        config.port = server->port();
        config.use_tls = false;
        config.bearer_token = "secret";
        return *kube::HttpClient::make(config, kClock, 1);
    }
};

int ask(net::EventLoop& loop, std::uint16_t port, const std::string& path) {
    net::HttpClientOptions options;
    options.host = "127.0.0.1";
    options.port = port;
    net::TlsClientOptions trust;
    trust.verify = false;
    options.tls = *net::make_client_tls(trust);
    net::HttpClient client(options);
    net::ClientRequest request;
    request.target = path;
    request.headers.push_back({"Authorization", "Bearer token"});
    const auto outcome = test::run_async(loop, client.send(request, 10s));
    return outcome.response ? outcome.response->status : 0;
}

template <class Condition>
bool until(net::EventLoop& loop, Condition condition) {
    for (int i = 0; i < 6000 && !condition(); ++i) {
        test::run_async(loop, net::pause_for(5ms));
    }
    return condition();
}

boost::asio::awaitable<void> compete(kube::LeaderThread* leader) {
    std::function<void()> on_elected = [] {};
    co_await leader->lead(std::move(on_elected));
}

}  // namespace

TEST_CASE("the visibility API ends in order after a request", "[process][end]") {
    net::EventLoop loop;
    const Api api;
    KnownStores stores;
    engine::State state(engine::Options{});
    PendingWorkloads pending(stores, state);
    LoopCalls calls({loop, [] { return true; }});
    auto configuration = config::default_configuration("kueue-system");
    configuration.visibility_server.bind_address = "127.0.0.1";
    configuration.visibility_server.bind_port = 0;
    const workload::Translator translator{workload::TranslationSettings{}};
    const JobKinds job_kinds;
    const Settings settings;
    const InsightSource insight(
        {stores,
         state,
         translator,
         job_kinds,
         settings,
         kClock,
         [&](engine::WorkloadIndex index) { return pending.find_place(index); }}
    );
    VisibilityService service(
        {.clock = kClock,
         .configuration = configuration,
         .calls = calls,
         .pending = pending,
         .insight = insight},
        api.connect()
    );
    net::TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(service.run(), "visibility");
    REQUIRE(until(loop, [&] { return service.port() != 0; }));
    CHECK(ask(loop, service.port(), "/apis/visibility.kueue.x-k8s.io/v1beta2") == 403);
    CHECK(api.handler->requests >= 2);
    test::run_async(loop, tasks.stop(0s));
    service.stop();
}

TEST_CASE("the page of metrics ends in order after a request", "[process][end]") {
    net::EventLoop loop;
    const Api api;
    auto configuration = config::default_configuration("kueue-system");
    configuration.health.health_probe_bind_address = "";
    configuration.metrics.bind_address = "127.0.0.1:0";
    const Heartbeat heartbeat(kClock);
    StatusServers servers(
        kClock, configuration, heartbeat, [] { return std::string(); }, api.connect()
    );
    REQUIRE(test::run_async(loop, servers.start()));
    CHECK(ask(loop, servers.metrics_port(), "/metrics") == 403);
    CHECK(api.handler->requests >= 2);
    servers.stop();
}

TEST_CASE("the lease's thread ends in order after a request", "[process][end]") {
    net::EventLoop loop;
    const Api api;
    kube::LeaderOptions options;
    options.namespace_ = "kueue-system";
    options.identity = "me";
    kube::LeaderThread leader(api.connect(), kClock, options, 1);
    net::TaskGroup tasks(loop.executor(), "test");
    tasks.spawn(compete(&leader), "lease");
    CHECK(until(loop, [&] { return api.handler->requests > 0; }));
    test::run_async(loop, tasks.stop(0s));
    test::run_async(loop, leader.release());
}

}  // namespace sluice::controller
