#include "controller/commands/dev/dev.hpp"

#include "base/log.hpp"
#include "base/printable.hpp"
#include "base/prng.hpp"
#include "controller/commands/cluster/cluster_setup.hpp"
#include "controller/commands/cluster/data_folder.hpp"
#include "controller/commands/cluster/embedded_cluster.hpp"
#include "controller/commands/cluster/snapshot_writer.hpp"
#include "controller/commands/controller/controller.hpp"
#include "controller/commands/dev/dev_options.hpp"
#include "controller/commands/dev/dev_step.hpp"
#include "controller/commands/dev/kubeconfig_file.hpp"
#include "controller/commands/live_view/live_view.hpp"
#include "controller/commands/live_view/stop_signals.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "net/transport/listening_socket.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

constexpr const char* kDefaultNodes = "node: 4x cpu=16,memory=64Gi";
constexpr double kSpeedMin = 0.001;
constexpr double kSpeedMax = 100'000;
/// The delay of kube-controller-manager, so that a Job goes through the same states.
constexpr Duration kJobBatch = std::chrono::seconds(1);
constexpr Duration kReadyMax = std::chrono::seconds(60);
constexpr Duration kReadyStep = std::chrono::milliseconds(20);

using Options = DevOptions;

/// A folder that is removed with this object.
class TemporaryFolder {
  public:
    static Result<std::unique_ptr<TemporaryFolder>> make() {
        std::string path = (std::filesystem::temp_directory_path() / "sluice-dev-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) {
            return make_invalid(
                fmt::format("cannot create temporary folder {}: {}", path, std::strerror(errno))
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

Result<void> install(EmbeddedCluster& cluster, const Options& options) {
    const auto configuration = read_configuration(options.config_file, options.feature_gates);
    if (!configuration) {
        return configuration.error();
    }
    const auto objects = setup_objects(*configuration);
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

/// Returns the controller's configuration: the user's file, with the values that the cluster needs.
Result<std::string> print_configuration(const Options& options, std::uint16_t webhook_port) {
    auto configuration = read_configuration(options.config_file, options.feature_gates);
    if (!configuration) {
        return configuration.error();
    }
    configuration->set(
        "webhook",
        json::Object{{"host", "127.0.0.1"}, {"port", static_cast<std::int64_t>(webhook_port)}}
    );
    return json::print_pretty(*configuration);
}

/// Returns true if the controller has published its webhooks of that kind (`mutating` or
/// `validating`) with that port.
bool has_published(EmbeddedCluster& cluster, std::string_view kind, std::uint16_t port) {
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
    return url != nullptr && url->is_string() &&
           url->as_string().starts_with(fmt::format("https://127.0.0.1:{}/", port));
}

/// Returns true once new Jobs are suspended and no object is rejected because a webhook has no
/// valid address yet.
bool answers_ready(EmbeddedCluster& cluster, std::uint16_t port) {
    return has_published(cluster, "mutating", port) && has_published(cluster, "validating", port);
}

boost::asio::awaitable<void> pause_until_ready(
    EmbeddedCluster* cluster,
    std::uint16_t port,
    const std::atomic<bool>* has_ended,
    net::EventLoop* loop
) {
    for (Duration waited{}; waited < kReadyMax && !*has_ended && !answers_ready(*cluster, port);
         waited += kReadyStep) {
        const bool went_on = co_await net::pause_for(kReadyStep);
        if (!went_on) {
            break;
        }
    }
    loop->stop();
}

/// Waits until the controller is ready. Returns false if it has ended or kReadyMax has passed.
bool wait_ready(EmbeddedCluster& cluster, std::uint16_t port, const std::atomic<bool>& has_ended) {
    net::EventLoop loop;
    net::TaskGroup tasks(loop.executor(), "dev");
    tasks.spawn(pause_until_ready(&cluster, port, &has_ended, &loop), "ready");
    loop.run();
    return !has_ended && answers_ready(cluster, port);
}

/// Starts the live view if there is a terminal for it and the options allow it; otherwise returns
/// nullptr.
Result<std::unique_ptr<LiveView>> start_view(
    EmbeddedCluster& cluster, const Options& options, const Clock& clock
) {
    if (options.is_quiet || options.is_server_only || !Terminal::can_draw()) {
        return std::unique_ptr<LiveView>();
    }
    LiveView::Options view;
    view.texts.server = dev_server_url(cluster.port());
    if (options.cluster.pace.speed != 1) {
        view.texts.speed = fmt::format("{}x", options.cluster.pace.speed);
    }
    view.texts.commands = next_dev_commands(options);
    view.log_file = std::filesystem::absolute(options.kubeconfig).replace_extension("log").string();
    view.read = [&cluster](std::int64_t& version) {
        std::optional<ClusterState> state;
        cluster.look([&](const apiserver::State& there) {
            if (there.store.version() != std::exchange(version, there.store.version())) {
                state = read_cluster_state(there.store);
            }
        });
        return state;
    };
    return LiveView::start(std::move(view), clock);
}

/// State of the setup that runs while the cluster already serves.
struct Beginning {
    const Options& options;
    std::vector<Manifest> manifests;
    KubeconfigFile& kubeconfig;
    StopSignals& stop;
    bool has_view = false;
    std::uint16_t webhook_port = 0;       ///< of the controller's webhooks
    std::atomic<bool> has_ended = false;  ///< set when the controller ends
    bool has_failed = false;              ///< set if the cluster could not be handed over
};

/// Reports why the cluster cannot be handed over, and stops it.
void give_up(Beginning& beginning, const std::string& why) {
    beginning.has_failed = true;
    fmt::print(stderr, "error: {}\n", why);
    beginning.stop.request_stop();
}

/// Applies the user's objects once the controller is ready, publishes the kubeconfig, and prints
/// the next commands. Does not publish the kubeconfig if the controller does not become ready, or
/// if a stop is requested before.
void begin(EmbeddedCluster& cluster, Beginning& beginning) {
    const Options& options = beginning.options;
    if (!options.is_server_only &&
        !wait_ready(cluster, beginning.webhook_port, beginning.has_ended)) {
        if (!beginning.has_ended) {
            give_up(beginning, "the controller did not become ready in time");
        }
        return;
    }
    const std::stop_token stop = beginning.stop.token();
    for (const Manifest& manifest : beginning.manifests) {
        if (stop.stop_requested()) {
            return;
        }
        // After a stop request, the controller's webhooks fail: not an error of the user's objects.
        const auto done = cluster.apply_manifest(manifest.object);
        if (!done && !stop.stop_requested()) {
            print_refused(manifest, done.error());
        }
    }
    if (stop.stop_requested()) {
        return;
    }
    if (const auto done = beginning.kubeconfig.publish(); !done) {
        give_up(beginning, done.error().detail);
        return;
    }
    if (!options.is_quiet && !beginning.has_view) {
        print_dev_start(options, cluster.port(), "Ctrl-C ends it.");
    }
}

/// Serves without a controller until it is stopped, also while files are applied.
void serve_alone(EmbeddedCluster& cluster, Beginning& beginning) {
    net::EventLoop loop;
    const std::stop_callback on_stop(beginning.stop.token(), [&] { loop.stop(); });
    begin(cluster, beginning);
    loop.run();
}

/// Returns the built-in object that this entry was installed from; nullptr if a user created it.
const json::Value* find_own(
    const apiserver::StoreImage::Entry& entry, const std::vector<json::Value>& own
) {
    const json::Value* managers = entry.object->find_path({"metadata", "managedFields"});
    const auto is_by_us = [](const json::Value& manager) {
        return manager.string_at("manager") == ApiEndpoint::kName;
    };
    const auto is_of_that_name = [&](const json::Value& object) {
        return object.string_at("kind") == entry.object->string_at("kind") &&
               object.find("metadata")->string_at("name") == entry.name.name;
    };
    const auto found = std::ranges::find_if(own, is_of_that_name);
    const bool is_own = found != own.end() && managers != nullptr && managers->is_array() &&
                        std::ranges::any_of(managers->as_array(), is_by_us);
    return is_own ? &*found : nullptr;
}

/// Removes the address of the previous run's controller: its webhook configurations are deleted,
/// and its CRDs get the conversion Service of their manifests again.
void forget_controller(apiserver::StoreImage& image, const std::vector<json::Value>& own) {
    std::erase_if(image.entries, [&own](const apiserver::StoreImage::Entry& entry) {
        return entry.collection.group == "admissionregistration.k8s.io" &&
               find_own(entry, own) != nullptr;
    });
    for (apiserver::StoreImage::Entry& entry : image.entries) {
        const json::Value* manifest =
            entry.collection.plural == "customresourcedefinitions" ? find_own(entry, own) : nullptr;
        const json::Value* conversion =
            manifest == nullptr ? nullptr : manifest->find_path({"spec", "conversion"});
        const json::Value* url =
            entry.object->find_path({"spec", "conversion", "webhook", "clientConfig", "url"});
        if (conversion != nullptr && url != nullptr) {
            json::Value changed = *entry.object;
            changed.find("spec")->set("conversion", *conversion);
            entry.object = std::make_shared<const json::Value>(std::move(changed));
        }
    }
}

/// Opens the folder of `--data`, if any, and moves its snapshot into the options.
Result<std::unique_ptr<DataFolder>> open_data(Options& options) {
    if (options.data.empty()) {
        return std::unique_ptr<DataFolder>();
    }
    auto folder = DataFolder::open(options.data);
    if (!folder) {
        return folder;
    }
    auto image = (*folder)->load();
    if (!image) {
        return image.error();
    }
    options.cluster.image = std::move(*image);
    if (options.cluster.image) {
        const auto own = setup_objects(make_configuration());
        if (!own) {
            return own.error();
        }
        forget_controller(*options.cluster.image, *own);
    }
    return folder;
}

bool keeps_nodes(const std::optional<apiserver::StoreImage>& image) {
    return image && std::ranges::any_of(image->entries, [](const auto& entry) {
               return entry.collection.group.empty() && entry.collection.plural == "nodes";
           });
}

/// Sets the default nodes if the options have none.
void choose_nodes(Options& options) {
    if (options.cluster.nodes.empty()) {
        options.cluster.nodes = {kDefaultNodes};
    }
}

/// Parses `60x` or `60`; returns nullopt if it is not a number or out of range.
std::optional<double> read_speed(std::string_view text) {
    if (text.ends_with('x')) {
        text.remove_suffix(1);
    }
    double speed = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, speed);
    const bool is_known = error == std::errc() && at == end;
    return is_known && speed >= kSpeedMin && speed <= kSpeedMax ? std::optional(speed)
                                                                : std::nullopt;
}

/// Returns an empty text if the speed is valid, otherwise the error.
std::string check_speed(const std::string& text) {
    return read_speed(text) ? std::string()
                            : fmt::format(
                                  "\"{}\" is not a speed from {}x to {:.0f}x, such as 60x",
                                  printable(text),
                                  kSpeedMin,
                                  kSpeedMax
                              );
}

std::unique_ptr<SnapshotWriter> start_writer(
    EmbeddedCluster& cluster, const DataFolder* folder, const Clock& clock
) {
    if (folder == nullptr) {
        return nullptr;
    }
    const auto take = [&cluster](std::int64_t version) {
        std::optional<apiserver::StoreImage> image;
        cluster.look([&](const apiserver::State& state) {
            if (state.store.version() != version) {
                image = apiserver::take_image(state.store);
            }
        });
        return image;
    };
    const auto report = [](const Error& error) {
        fmt::print(stderr, "error: cannot save the cluster: {}\n", error.detail);
    };
    return std::make_unique<SnapshotWriter>(*folder, take, report, clock);
}

/// Runs the controller on the cluster until it is stopped. Returns the exit code.
int run_with_controller(EmbeddedCluster& cluster, Beginning& beginning, const Clock& clock) {
    const Options& options = beginning.options;
    const auto folder = TemporaryFolder::make();
    // The socket keeps the port reserved until the controller serves on it.
    auto socket = net::ListeningSocket::open("127.0.0.1");
    if (!folder || !socket) {
        return cannot_start(folder ? socket.error() : folder.error());
    }
    beginning.webhook_port = (*socket)->port();
    const auto configuration = (*folder)->path() / "configuration.json";
    const auto own_kubeconfig = (*folder)->path() / "kubeconfig";
    auto prepared = install(cluster, options);
    if (prepared) {
        const auto text = print_configuration(options, beginning.webhook_port);
        prepared = text ? write_private_file(configuration, *text) : Result<void>(text.error());
    }
    if (prepared) {
        prepared = write_private_file(own_kubeconfig, cluster.kubeconfig(kEmbeddedAccount));
    }
    if (!prepared) {
        return cannot_start(prepared.error());
    }
    const auto view = start_view(cluster, options, clock);
    if (!view) {
        return cannot_start(view.error());
    }
    beginning.has_view = *view != nullptr;
    std::thread beginner([&] { begin(cluster, beginning); });
    ControllerOptions controller;
    controller.config_file = configuration;
    controller.kubeconfig_file = own_kubeconfig;
    controller.log.log_level = options.log_level;
    controller.stop = beginning.stop.token();
    controller.webhook_socket = std::move(*socket);
    const int exit_code = run_controller(controller);
    beginning.has_ended = true;
    beginner.join();
    return exit_code;
}

int run_dev(Options options) {
    options.cluster.seed = random_seed();
    options.cluster.pace.run_time = std::chrono::seconds(options.run_seconds);
    options.cluster.pace.speed = read_speed(options.speed).value_or(1);
    options.cluster.job_batch = kJobBatch;
    options.cluster.is_simulated = !options.is_server_only;
    options.cluster.has_controller = !options.is_server_only;
    const SystemClock clock;
    StopSignals stop;
    std::signal(SIGPIPE, SIG_IGN);
    if (options.is_stepped) {
        choose_nodes(options);
        return run_dev_steps(options, stop);
    }
    auto manifests = read_manifests(options.files);
    if (!manifests) {
        return cannot_start(manifests.error());
    }
    const auto data = open_data(options);
    if (!data) {
        return cannot_start(data.error());
    }
    if (!keeps_nodes(options.cluster.image)) {
        choose_nodes(options);
    }
    const auto cluster = EmbeddedCluster::start(options.cluster, clock);
    if (!cluster) {
        return cannot_start(cluster.error());
    }
    options.cluster.image.reset();
    auto kubeconfig = KubeconfigFile::prepare(options.kubeconfig, (*cluster)->kubeconfig());
    if (!kubeconfig) {
        return cannot_start(kubeconfig.error());
    }
    const auto writer = start_writer(**cluster, data->get(), clock);
    int exit_code = 0;
    Beginning beginning{
        .options = options,
        .manifests = std::move(*manifests),
        .kubeconfig = *kubeconfig,
        .stop = stop
    };
    if (options.is_server_only) {
        serve_alone(**cluster, beginning);
    } else {
        exit_code = run_with_controller(**cluster, beginning, clock);
    }
    if (exit_code == 0 && beginning.has_failed) {
        exit_code = 1;
    }
    if (const auto saved = writer ? writer->finish() : Result<void>(); !saved) {
        fmt::print(stderr, "error: cannot save the cluster: {}\n", saved.error().detail);
        exit_code = exit_code == 0 ? 1 : exit_code;
    }
    return exit_code;
}

/// Adds the options of the cluster and its simulation.
void add_cluster_options(CLI::App* command, Options* options) {
    command->add_option(
        "--nodes",
        options->cluster.nodes,
        "Nodes to simulate, such as 'a100: 4x "
        "cpu=96,memory=1Ti,nvidia.com/gpu=8,label:gpu=a100,"
        "taint:gpu=yes:NoSchedule', or a file of Nodes (.yaml, .yml, .json); may be repeated "
        "(default: " +
            fmt::format("'{}', unless --data contains nodes)", kDefaultNodes)
    );
    command->add_option(
        "-f,--filename", options->files, "Files or folders with manifests to apply"
    );
    command
        ->add_option(
            "--run-seconds",
            options->run_seconds,
            "Run time in seconds of pods that neither run `sleep N` nor have the annotation "
            "sluice.dev/run-seconds (default: 30)"
        )
        ->check([](const std::string& text) {
            return check_number(text, std::numeric_limits<int>::max());
        });
    command
        ->add_option(
            "--speed",
            options->speed,
            "Speed of pods, and of the delays and deadlines of Jobs, relative to real time, such "
            "as 60x (default: 1x)"
        )
        ->check(check_speed);
    command->add_option(
        "--data",
        options->data,
        "Folder that keeps the cluster's objects between runs (default: they are not kept)"
    );
}

/// Adds the options of the API server, the controller and the output.
void add_other_options(CLI::App* command, Options* options) {
    command
        ->add_option(
            "--port", options->cluster.port, "Port of the API server (default: any free port)"
        )
        ->check([](const std::string& text) {
            return check_number(text, std::numeric_limits<std::uint16_t>::max());
        });
    command->add_option(
        "--write-kubeconfig",
        options->kubeconfig,
        fmt::format(
            "File for the kubeconfig, written once the cluster is ready (default: {})",
            options->kubeconfig
        )
    );
    command->add_option(
        "--config",
        options->config_file,
        "Configuration file of the controller; sluice dev sets its addresses and namespace"
    );
    command->add_option(
        "--feature-gates",
        options->feature_gates,
        "Feature gates of the controller: Name=true,Other=false"
    );
    command->add_option(
        "--log-level", options->log_level, "Log level of the controller (default: warning)"
    );
    command->add_flag("--server-only", options->is_server_only, "Run only the API server");
    command->add_flag(
        "--step",
        options->is_stepped,
        "For tests: advance time only by lines of standard input: an empty line to the next "
        "event, a duration such as 10m, 90s or 1h by that much; q quits. Events are printed, and "
        "after each step a line such as time: 2026-01-31T10:00:00Z"
    );
    command->add_flag(
        "--quiet", options->is_quiet, "Print only errors (with --step, also the time)"
    );
}

/// Checks combinations of options. Errors: Invalid for options that exclude each other.
Result<void> check_options(const CLI::App& command, const Options& options) {
    for (const char* other : {"--data", "--speed", "--server-only"}) {
        if (options.is_stepped && command.count(other) > 0) {
            return make_invalid(fmt::format("--step cannot be used with {}", other));
        }
    }
    return {};
}

}  // namespace

void add_dev(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "dev", "Run the controller with an API server and a simulated cluster, all in memory"
    );
    add_cluster_options(command, options.get());
    add_other_options(command, options.get());
    command->footer(
        "For example:\n"
        "  sluice dev -f examples/02_two_teams\n"
        "  sluice dev --nodes 'gpu: 2x cpu=8,nvidia.com/gpu=4' -f queues.yaml --speed 60x\n"
        "and, in another terminal:\n"
        "  export KUBECONFIG=sluice-dev.kubeconfig\n"
        "  kubectl get clusterqueues,workloads,jobs,pods -A"
    );
    command->callback([options, &exit_code, command] {
        if (const auto checked = check_options(*command, *options); !checked) {
            exit_code = cannot_start(checked.error());
            return;
        }
        exit_code = run_dev(std::move(*options));
    });
}

}  // namespace sluice::commands
