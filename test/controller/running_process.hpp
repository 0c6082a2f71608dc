#pragma once

#include "api/core/lease.hpp"
#include "api/kueue/conditions.hpp"
#include "controller/mini_cluster.hpp"
#include "controller/process/controller_process.hpp"
#include "metrics/registry.hpp"
#include "net/http/http_client.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/loop/virtual_time.hpp"
#include "net/transport/tls.hpp"
#include "support/client_on_loop.hpp"
#include "support/embedded_server.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

// A whole process under test, on a loop that the test turns.
namespace sluice::controller {

inline const SystemClock kSystemClock;

template <class T>
T decode(std::string text) {
    std::ranges::replace(text, '\'', '"');
    auto object = api::decode<T>(text);
    REQUIRE(object);
    return *object;
}

inline void make_queues(test::EmbeddedServer& client) {
    client.serve_kueue();
    client.add(decode<api::Namespace>("{'metadata':{'name':'team'}}"));
    client.add(decode<api::ResourceFlavor>(
        "{'metadata':{'name':'spot'},'spec':{'nodeLabels':{'tier':'spot'}}}"
    ));
    client.add(decode<api::ClusterQueue>(R"({'metadata':{'name':'cq'},'spec':{
        'namespaceSelector':{},'resourceGroups':[{'coveredResources':['cpu'],'flavors':[
            {'name':'spot','resources':[{'name':'cpu','nominalQuota':'4'}]}]}]}})"));
    client.add(decode<api::LocalQueue>(
        "{'metadata':{'name':'main','namespace':'team'},'spec':{'clusterQueue':'cq'}}"
    ));
}

inline void make_job(test::EmbeddedServer& client, const std::string& name) {
    client.add(decode<api::Job>(
        R"({'metadata':{'namespace':'team','name':')" + name +
        R"(','labels':{'kueue.x-k8s.io/queue-name':'main'}},
        'spec':{'suspend':true,'parallelism':1,'completions':1,'template':{'spec':{
            'restartPolicy':'Never','containers':[
            {'name':'c','image':'i','resources':{'requests':{'cpu':'2'}}}]}}}})"
    ));
}

inline bool is_running(const test::EmbeddedServer& client, const std::string& name) {
    const auto job = client.find<api::Job>("team", name);
    return job && job->spec.suspend == false;
}

inline ProcessOptions make_options() {
    ProcessOptions options;
    options.configuration = config::default_configuration("kueue-system");
    options.configuration.leader_election.leader_elect = false;
    options.controllers = {
        "clusterqueue",
        "localqueue",
        "resourceflavor",
        "cohort",
        "workload",
        "job",
        "workloadpriorityclass"
    };
    options.with_webhooks = false;
    options.with_servers = false;
    options.lease_namespace = "kueue-system";
    options.hostname = "host";
    return options;
}

/// The options of a process that competes for its lease through a client that belongs to a loop.
inline ProcessOptions make_elected_options(net::EventLoop& loop, kube::Client& leases) {
    ProcessOptions options = make_options();
    options.configuration.leader_election.leader_elect = true;
    options.lease_client = std::make_unique<test::ClientOnLoop>(loop, leases);
    return options;
}

/// One process under test on a loop that it may share with another.
class Running {
  public:
    Running(
        net::EventLoop& loop,
        kube::Client& client,
        ProcessOptions options,
        const Clock& clock = kSystemClock
    )
        : process_(client, clock, loop, std::move(options)), tasks_(loop.executor(), "test") {
        tasks_.spawn(run(), "process");
    }

    boost::asio::awaitable<std::optional<int>> stop() {
        process_.stop();
        co_await tasks_.wait();
        co_return exit_code_;
    }

    ControllerProcess& process() { return process_; }
    std::optional<int> exit_code() const { return exit_code_; }

  private:
    boost::asio::awaitable<void> run() { exit_code_ = co_await process_.run(); }

    ControllerProcess process_;
    net::TaskGroup tasks_;
    std::optional<int> exit_code_;
};

/// Lets the loop go on until the condition holds; false after half a minute.
inline boost::asio::awaitable<bool> until(std::function<bool()> condition) {
    for (int i = 0; i < 6000; ++i) {
        if (condition()) {
            co_return true;
        }
        co_await net::pause_for(std::chrono::milliseconds(5));
    }
    co_return false;
}

/// Sends a request; status 0 when there is no answer. Any certificate will do.
inline net::ClientResponse fetch(
    net::EventLoop& loop,
    std::uint16_t port,
    const std::string& path,
    bool tls,
    const std::string& method = "GET",
    const std::string& body = ""
) {
    net::HttpClientOptions options;
    options.host = "127.0.0.1";
    options.port = port;
    if (tls) {
        net::TlsClientOptions trust;
        trust.verify = false;
        options.tls = *net::make_client_tls(trust);
    }
    net::HttpClient client(options);
    net::ClientRequest request;
    request.method = method;
    request.target = path;
    request.body = body;
    const auto outcome = test::run_async(loop, client.send(request, std::chrono::seconds(10)));
    return outcome.response ? *outcome.response : net::ClientResponse{};
}

/// Waits until the lease was renewed for so long, half a minute at most.
inline boost::asio::awaitable<void> renewed_for(
    const test::EmbeddedServer& leases, Duration length
) {
    for (int i = 0; i < 6000; ++i) {
        const auto all = leases.all<api::Lease>();
        if (!all.empty() && all.front().spec.renew_time && all.front().spec.acquire_time &&
            all.front().spec.renew_time->time - all.front().spec.acquire_time->time >= length) {
            co_return;
        }
        co_await net::pause_for(std::chrono::milliseconds(5));
    }
}

inline bool has_workload(const test::EmbeddedServer& client) {
    return !client.all<api::Workload>().empty();
}

}  // namespace sluice::controller
