#include "api/core/core.hpp"
#include "controller/process/controller_process.hpp"
#include "controller/process/settings.hpp"
#include "controller/training_kind.hpp"
#include "kube/client/connection_source.hpp"
#include "kube/client/http_client.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/certificate.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

// A kind of jobs that is defined while the controller runs, on the real API server that
// SLUICE_TEST_KUBECONFIG names. The controller under test there admits; this process knows the
// kind.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using test::run_async;

constexpr std::string_view kDefinition = R"({
    'apiVersion':'apiextensions.k8s.io/v1','kind':'CustomResourceDefinition',
    'metadata':{'name':'trainings.example.com'},
    'spec':{'group':'example.com','scope':'Namespaced',
        'names':{'kind':'Training','plural':'trainings','singular':'training',
            'listKind':'TrainingList'},
        'versions':[{'name':'v1','served':true,'storage':true,'subresources':{'status':{}},
            'schema':{'openAPIV3Schema':{'type':'object',
                'x-kubernetes-preserve-unknown-fields':true}}
        }]}})";

std::string json_of(std::string_view text) {
    std::string json(text);
    std::ranges::replace(json, '\'', '"');
    return json;
}

kube::ResourcePath definition_path(const std::string& name) {
    return {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "", name, ""};
}

boost::asio::awaitable<void> run_to_end(ControllerProcess* process) {
    co_await process->run();
}

/// A client of the real server, a namespace of its own and a controller of run-time kinds alone.
struct RealCluster {
    RealCluster() {
        const char* path = std::getenv("SLUICE_TEST_KUBECONFIG");
        INFO("SLUICE_TEST_KUBECONFIG names the kubeconfig; test/e2e/client_test.py sets it");
        REQUIRE(path != nullptr);
        const auto found =
            kube::find_connection({.kubeconfig_file = path, .context = "", .process = {}});
        REQUIRE(found);
        auto made = kube::HttpClient::make(found->config, clock, 1);
        REQUIRE(made);
        client = std::move(*made);
        ns = "training-" + net::make_uuid().substr(0, 8);
        ProcessOptions options;
        options.configuration = config::default_configuration("kueue-system");
        options.configuration.leader_election.leader_elect = false;
        options.settings = *make_settings(options.configuration, options.gates);
        options.with_scheduler = false;
        options.with_webhooks = false;
        options.with_servers = false;
        options.hostname = "test";
        process = std::make_unique<ControllerProcess>(*client, clock, loop, std::move(options));
        tasks.spawn(run_to_end(process.get()), "process");
    }
    ~RealCluster() {
        process->stop();
        run_async(loop, tasks.wait());
        for (const auto& path :
             {definition_path("trainings.example.com"),
              kube::path_of(kube::ObjectKey{kind_of<api::ClusterQueue>(), "", ns}),
              kube::path_of(kube::ObjectKey{kind_of<api::ResourceFlavor>(), "", ns}),
              kube::path_of(kube::ObjectKey{kind_of<api::Namespace>(), "", ns})}) {
            static_cast<void>(run_async(loop, client->remove(path)));
        }
    }

    void create(const kube::ResourcePath& collection, const std::string& text) {
        const auto created = run_async(loop, client->create(collection, json_of(text)));
        INFO((created ? std::string() : created.error().detail));
        REQUIRE(created);
    }
    /// Runs the loop until the condition holds, for a minute at most.
    bool eventually(const std::function<bool()>& condition) {
        for (int i = 0; i < 1200; ++i) {
            if (condition()) {
                return true;
            }
            run_async(loop, net::pause_for(50ms));
        }
        return false;
    }
    std::string get(const kube::ResourcePath& path) {
        const auto text = run_async(loop, client->get(path));
        return text ? *text : std::string();
    }

    net::EventLoop loop;
    SystemClock clock;
    std::unique_ptr<kube::Client> client;
    std::string ns;
    std::unique_ptr<ControllerProcess> process;
    net::TaskGroup tasks{loop.executor(), "test"};
};

}  // namespace

TEST_CASE("a kind defined while the controller runs is queued and started", "[controller][real]") {
    RealCluster cluster;
    REQUIRE(cluster.eventually([&] { return cluster.process->is_acting(); }));
    const KindEntry entry = training_kind();
    const Kind kind = entry.kind;
    cluster.process->add_kind(training_kind());

    const std::string& name = cluster.ns;
    cluster.create(definition_path(""), std::string(kDefinition));
    cluster.create(
        kube::path_of(kind_of<api::Namespace>()),
        "{'apiVersion':'v1','kind':'Namespace','metadata':{'name':'" + name + "'}}"
    );
    const std::string head = "{'apiVersion':'kueue.x-k8s.io/v1beta2','kind':'";
    cluster.create(
        kube::path_of(kind_of<api::ResourceFlavor>()),
        head + "ResourceFlavor','metadata':{'name':'" + name +
            "'},'spec':{'nodeLabels':{'tier':'training'}}}"
    );
    cluster.create(
        kube::path_of(kind_of<api::ClusterQueue>()),
        head + "ClusterQueue','metadata':{'name':'" + name +
            "'},'spec':{'namespaceSelector':{},'resourceGroups':[{'coveredResources':['cpu'],"
            "'flavors':[{'name':'" +
            name + "','resources':[{'name':'cpu','nominalQuota':'4'}]}]}]}}"
    );
    cluster.create(
        kube::path_of(kind_of<api::LocalQueue>(), name),
        head + "LocalQueue','metadata':{'name':'main','namespace':'" + name +
            "'},'spec':{'clusterQueue':'" + name + "'}}"
    );
    const std::string training =
        "{'apiVersion':'example.com/"
        "v1','kind':'Training','metadata':{'name':'resnet','namespace':'" +
        name +
        "','labels':{'kueue.x-k8s.io/queue-name':'main'}},'spec':{'suspend':true,'replicas':2,"
        "'template':{'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':"
        "{'cpu':'1'}}}]}}}}";
    REQUIRE(cluster.eventually([&] {
        return run_async(
                   cluster.loop,
                   cluster.client->create(kube::path_of(kind, name), json_of(training))
        )
            .has_value();
    }));
    const auto path = kube::path_of(kube::ObjectKey{kind, name, "resnet"});
    CHECK(cluster.eventually([&] {
        const std::string text = cluster.get(path);
        return text.find("\"suspend\":false") != std::string::npos &&
               text.find("\"tier\":\"training\"") != std::string::npos;
    }));
    SECTION("and its Workload is let go when the definition goes") {
        const auto gone = run_async(
            cluster.loop, cluster.client->remove(definition_path("trainings.example.com"))
        );
        REQUIRE(gone);
        CHECK(cluster.eventually([&] {
            const auto all = run_async(
                cluster.loop, cluster.client->list(kube::path_of(kind_of<api::Workload>(), name))
            );
            return all && all->find("resource-in-use") == std::string::npos;
        }));
    }
}

}  // namespace sluice::controller
