#include "controller/commands/dev.hpp"

#include "api/crd.hpp"
#include "api/kueue_names.hpp"
#include "api/scheme.hpp"
#include "base/log.hpp"
#include "base/prng.hpp"
#include "controller/commands/controller.hpp"
#include "controller/commands/embedded_cluster.hpp"
#include "controller/commands/input_files.hpp"
#include "controller/commands/webhook_manifest.hpp"
#include "net/event_loop.hpp"
#include "net/task_group.hpp"
#include "yaml/parse.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

constexpr int kCannotStart = 2;
constexpr const char* kNamespace = "kueue-system";
constexpr Duration kReadyMax = std::chrono::seconds(20);
constexpr Duration kReadyStep = std::chrono::milliseconds(20);

struct Options {
    EmbeddedCluster::Options cluster;
    std::vector<std::string> files;
    std::string kubeconfig = "sluice-dev.kubeconfig";
    std::string feature_gates;
    std::string log_level = "warning";
    int run_seconds = 30;
    bool is_server_only = false;
    bool is_quiet = false;
};

/// A folder that is removed with this object.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "sluice-dev-XXXXXX").string();
        if (::mkdtemp(name.data()) != nullptr) {
            path_ = name;
        }
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

Result<void> write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file);
    out << text;
    out.close();
    return out ? Result<void>() : Result<void>(make_invalid(file.string() + " cannot be written"));
}

/// What a cluster has before a user comes: definitions, namespace, webhook configurations.
Result<void> install(EmbeddedCluster& cluster) {
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (kind.group != api::kKueueGroup) {
            continue;
        }
        if (const auto done = cluster.apply(api::make_crd(kind)); !done) {
            return with_context(done.error(), std::string(kind.kind));
        }
    }
    const json::Value ns = json::Object{
        {"apiVersion", "v1"},
        {"kind", "Namespace"},
        {"metadata", json::Object{{"name", kNamespace}}}
    };
    if (const auto done = cluster.apply(ns); !done) {
        return done;
    }
    for (const yaml::Document& document : yaml::parse_documents(webhook_manifest())) {
        if (!document.value) {
            return document.value.error();
        }
        if (const auto done = cluster.apply(*document.value); !done) {
            return done;
        }
    }
    return {};
}

/// A port that is free now.
Result<std::uint16_t> find_free_port() {
    net::EventLoop loop;
    struct Nothing final : net::HttpHandler {
        boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest) override {
            co_return net::ServerResponse{};
        }
    } nothing;
    net::ServerOptions options;
    options.address = "127.0.0.1";
    options.tls = false;
    const auto server = net::HttpServer::start(loop, nothing, std::move(options));
    if (!server) {
        return server.error();
    }
    return (*server)->port();
}

std::string make_configuration(std::uint16_t webhook_port) {
    return json::print_pretty(json::Object{
        {"apiVersion", api::kConfigV1beta2},
        {"kind", "Configuration"},
        {"namespace", kNamespace},
        {"health", json::Object{{"healthProbeBindAddress", "0"}}},
        {"metrics", json::Object{{"bindAddress", "0"}}},
        {"leaderElection", json::Object{{"leaderElect", false}}},
        {"clientConnection", json::Object{{"qps", -1}}},
        {"webhook",
         json::Object{{"host", "127.0.0.1"}, {"port", static_cast<std::int64_t>(webhook_port)}}}
    });
}

/// Whether the controller has published its webhooks: from then on Jobs are held when they come.
bool is_ready(EmbeddedCluster& cluster) {
    const auto response = cluster.request(apiserver::make_request(
        "GET",
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"
        "kueue-mutating-webhook-configuration"
    ));
    const auto object = json::parse(response.body);
    const json::Value* hooks = object ? object->find("webhooks") : nullptr;
    if (hooks == nullptr || !hooks->is_array() || hooks->as_array().empty()) {
        return false;
    }
    const json::Value* url = hooks->as_array().front().find_path({"clientConfig", "url"});
    return url != nullptr;
}

boost::asio::awaitable<void> pause_until_ready(EmbeddedCluster* cluster, net::EventLoop* loop) {
    for (Duration waited{}; waited < kReadyMax && !is_ready(*cluster); waited += kReadyStep) {
        const bool went_on = co_await net::pause_for(kReadyStep);
        if (!went_on) {
            break;
        }
    }
    loop->stop();
}

/// Waits until the controller is ready, for some seconds at most.
void wait_ready(EmbeddedCluster& cluster) {
    net::EventLoop loop;
    net::TaskGroup tasks(loop.executor(), "dev");
    tasks.spawn(pause_until_ready(&cluster, &loop), "ready");
    loop.run();
}

/// Applies the user's files once the controller is ready, and says what to do next.
void begin(EmbeddedCluster& cluster, const Options& options) {
    if (!options.is_server_only) {
        wait_ready(cluster);
    }
    const auto files = read_input_files(options.files);
    if (!files) {
        fmt::print(stderr, "error: {}\n", files.error().detail);
    }
    for (const InputFile& file : files ? *files : std::vector<InputFile>()) {
        for (const yaml::Document& document : yaml::parse_documents(file.text)) {
            const auto done = document.value ? cluster.apply(*document.value)
                                             : Result<void>(document.value.error());
            if (!done) {
                fmt::print(stderr, "error: {}: {}\n", file.name, done.error().detail);
            }
        }
    }
    if (!options.is_quiet) {
        fmt::print(
            "sluice dev runs on https://127.0.0.1:{}\n\n"
            "    export KUBECONFIG={}\n"
            "    kubectl get clusterqueues,workloads,jobs,pods -A\n\n"
            "Ctrl-C ends it.\n",
            cluster.port(),
            std::filesystem::absolute(options.kubeconfig).string()
        );
        std::fflush(stdout);
    }
}

boost::asio::awaitable<void> stop_on_signal(net::EventLoop* loop) {
    const auto executor = co_await boost::asio::this_coro::executor;
    net::Signals signals(executor, {SIGTERM, SIGINT});
    const int number = co_await signals.next();
    (void)number;
    loop->stop();
}

int wait_for_signal() {
    net::EventLoop loop;
    net::TaskGroup tasks(loop.executor(), "dev");
    tasks.spawn(stop_on_signal(&loop), "signals");
    loop.run();
    return 0;
}

int run(Options options) {
    options.cluster.seed = random_seed();
    options.cluster.run_time = std::chrono::seconds(options.run_seconds);
    options.cluster.is_simulated = !options.is_server_only;
    const SystemClock clock;
    std::signal(SIGPIPE, SIG_IGN);
    auto cluster = EmbeddedCluster::start(std::move(options.cluster), clock);
    const TemporaryFolder folder;
    auto written = cluster ? write_file(options.kubeconfig, (*cluster)->kubeconfig())
                           : Result<void>(cluster.error());
    if (written && !options.is_server_only) {
        written = install(**cluster);
    }
    const auto port = find_free_port();
    if (written && port) {
        written = write_file(folder.path() / "configuration.json", make_configuration(*port));
    }
    if (!written || !port) {
        fmt::print(stderr, "error: {}\n", written ? port.error().detail : written.error().detail);
        return kCannotStart;
    }
    if (options.is_server_only) {
        begin(**cluster, options);
        return wait_for_signal();
    }
    std::thread beginning([&] { begin(**cluster, options); });
    ControllerOptions controller;
    controller.config_file = folder.path() / "configuration.json";
    controller.kubeconfig_file = options.kubeconfig;
    controller.feature_gates = options.feature_gates.empty()
                                   ? "VisibilityOnDemand=false"
                                   : options.feature_gates + ",VisibilityOnDemand=false";
    controller.log.log_level = options.log_level;
    const int exit_code = run_controller(controller);
    beginning.join();
    return exit_code;
}

}  // namespace

void add_dev(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "dev", "Runs the controller with an API server and a cluster of its own, both in memory"
    );
    command->add_option(
        "--nodes",
        options->cluster.nodes,
        "Nodes, such as 'a100: 4x cpu=96,memory=1Ti,nvidia.com/gpu=8,label:gpu=a100,"
        "taint:gpu=yes:NoSchedule'; may be given several times (default: 'node: 4x "
        "cpu=16,memory=64Gi')"
    );
    command->add_option("-f,--filename", options->files, "Files and folders that are applied");
    command->add_option("--port", options->cluster.port, "Port of the API server (default: any)");
    command->add_option(
        "--write-kubeconfig",
        options->kubeconfig,
        fmt::format("Where the kubeconfig is written (default: {})", options->kubeconfig)
    );
    command
        ->add_option(
            "--run-seconds",
            options->run_seconds,
            "How long pods run that do not say so themselves (annotation sluice.dev/run-seconds; "
            "default: 30)"
        )
        ->check(CLI::NonNegativeNumber);
    command->add_option(
        "--feature-gates", options->feature_gates, "Of the controller: Name=true,Other=false"
    );
    command->add_option("--log-level", options->log_level, "Of the controller (default: warning)");
    command->add_flag("--server-only", options->is_server_only, "The API server alone");
    command->add_flag("--quiet", options->is_quiet, "Prints nothing but errors");
    command->callback([options, &exit_code] {
        if (options->cluster.nodes.empty()) {
            options->cluster.nodes = {"node: 4x cpu=16,memory=64Gi"};
        }
        exit_code = run(std::move(*options));
    });
}

}  // namespace sluice::commands
