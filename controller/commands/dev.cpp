#include "controller/commands/dev.hpp"

#include "base/log.hpp"
#include "base/prng.hpp"
#include "controller/commands/cluster_setup.hpp"
#include "controller/commands/controller.hpp"
#include "controller/commands/embedded_cluster.hpp"
#include "controller/commands/input_files.hpp"
#include "net/event_loop.hpp"
#include "net/task_group.hpp"
#include "yaml/parse.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

constexpr int kCannotStart = 2;
/// As in kube-controller-manager, so that a Job goes through the same states.
constexpr Duration kJobBatch = std::chrono::seconds(1);
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
    static Result<std::unique_ptr<TemporaryFolder>> make() {
        std::string path = (std::filesystem::temp_directory_path() / "sluice-dev-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) {
            return make_invalid(
                fmt::format("no temporary folder {}: {}", path, std::strerror(errno))
            );
        }
        return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(path)));
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

/// Writes a file that only its owner may read: a kubeconfig has a token.
Result<void> write_file(const std::filesystem::path& file, const std::string& text) {
    const int opened =
        ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    struct stat known{};
    bool is_written = opened >= 0 && ::fstat(opened, &known) == 0 &&
                      (!S_ISREG(known.st_mode) || ::fchmod(opened, S_IRUSR | S_IWUSR) == 0);
    for (std::string_view left = text; is_written && !left.empty();) {
        const auto written = ::write(opened, left.data(), left.size());
        is_written = written > 0 || (written < 0 && errno == EINTR);
        left.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    const int failure = errno;
    if (opened >= 0) {
        ::close(opened);
    }
    return is_written ? Result<void>()
                      : Result<void>(make_invalid(fmt::format(
                            "{} cannot be written: {}", file.string(), std::strerror(failure)
                        )));
}

/// Refuses to overwrite what is not an earlier run's kubeconfig.
Result<void> check_own_kubeconfig(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
        return {};
    }
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto known = json::parse(text);
    if (known && known->string_at("current-context") == EmbeddedCluster::kName) {
        return {};
    }
    return make_invalid(fmt::format(
        "{} is there and not of sluice dev; name another file with --write-kubeconfig", file
    ));
}

Result<void> install(EmbeddedCluster& cluster) {
    const auto objects = setup_objects();
    if (!objects) {
        return objects.error();
    }
    for (const json::Value& object : *objects) {
        if (const auto done = cluster.apply(object); !done) {
            return with_context(done.error(), std::string(object.string_at("kind")));
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

std::string print_configuration(std::uint16_t webhook_port) {
    json::Value configuration = make_configuration();
    configuration.set(
        "webhook",
        json::Object{{"host", "127.0.0.1"}, {"port", static_cast<std::int64_t>(webhook_port)}}
    );
    return json::print_pretty(configuration);
}

/// Whether the controller has published its webhooks of a kind, `mutating` or `validating`.
bool has_published(EmbeddedCluster& cluster, std::string_view kind) {
    const auto response = cluster.request(apiserver::make_request(
        "GET",
        fmt::format(
            "/apis/admissionregistration.k8s.io/v1/{0}webhookconfigurations/"
            "kueue-{0}-webhook-configuration",
            kind
        )
    ));
    const auto object = json::parse(response.body);
    const json::Value* hooks = object ? object->find("webhooks") : nullptr;
    if (hooks == nullptr || !hooks->is_array() || hooks->as_array().empty()) {
        return false;
    }
    const json::Value* url = hooks->as_array().front().find_path({"clientConfig", "url"});
    return url != nullptr;
}

/// Whether Jobs are held when they come, and no object is refused because its webhook is not known.
bool is_ready(EmbeddedCluster& cluster) {
    return has_published(cluster, "mutating") && has_published(cluster, "validating");
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
        for (yaml::Document& document : yaml::parse_documents(file.text)) {
            if (!document.value) {
                fmt::print(stderr, "error: {}: {}\n", file.name, document.value.error().detail);
                continue;
            }
            for (const json::Value& object : items_of(std::move(*document.value))) {
                if (const auto done = cluster.apply(object); !done) {
                    fmt::print(stderr, "error: {}: {}\n", file.name, done.error().detail);
                }
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

int cannot_start(const Error& error) {
    fmt::print(stderr, "error: {}\n", error.detail);
    return kCannotStart;
}

int run(Options options) {
    options.cluster.seed = random_seed();
    options.cluster.run_time = std::chrono::seconds(options.run_seconds);
    options.cluster.job_batch = kJobBatch;
    options.cluster.is_simulated = !options.is_server_only;
    const SystemClock clock;
    std::signal(SIGPIPE, SIG_IGN);
    const auto folder = TemporaryFolder::make();
    auto written = folder ? check_own_kubeconfig(options.kubeconfig) : Result<void>(folder.error());
    if (!written) {
        return cannot_start(written.error());
    }
    auto cluster = EmbeddedCluster::start(std::move(options.cluster), clock);
    if (!cluster) {
        return cannot_start(cluster.error());
    }
    written = write_file(options.kubeconfig, (*cluster)->kubeconfig());
    if (written && !options.is_server_only) {
        written = install(**cluster);
    }
    const auto port = find_free_port();
    const auto configuration = (*folder)->path() / "configuration.json";
    if (written && port) {
        written = write_file(configuration, print_configuration(*port));
    }
    if (!written || !port) {
        return cannot_start(written ? port.error() : written.error());
    }
    if (options.is_server_only) {
        begin(**cluster, options);
        return wait_for_signal();
    }
    std::thread beginning([&] { begin(**cluster, options); });
    ControllerOptions controller;
    controller.config_file = configuration;
    controller.kubeconfig_file = options.kubeconfig;
    controller.feature_gates =
        (options.feature_gates.empty() ? "" : options.feature_gates + ",") + kEmbeddedFeatureGates;
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
