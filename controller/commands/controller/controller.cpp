#include "controller/commands/controller/controller.hpp"

#include "base/log.hpp"
#include "base/version.hpp"
#include "controller/commands/controller/connection.hpp"
#include "controller/commands/controller/log_options.hpp"
#include "controller/commands/controller/process_options.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/process/controller_process.hpp"
#include "job_kinds/builtin.hpp"
#include "job_kinds/configured.hpp"
#include "kube/client/http_client.hpp"
#include "net/loop/event_loop.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <ranges>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

using Options = ControllerOptions;

constexpr int kMisconfigured = 2;

boost::asio::awaitable<void> run_to_end(
    controller::ControllerProcess* process, net::EventLoop* loop, int* exit_code
) {
    *exit_code = co_await process->run();
    loop->stop();
}

boost::asio::awaitable<void> stop_on_signal(controller::ControllerProcess* process) {
    const auto executor = co_await boost::asio::this_coro::executor;
    net::Signals signals(executor, {SIGTERM, SIGINT});
    const int number = co_await signals.next();
    if (number != 0) {
        log::info("received a signal", {{"number", number}});
        process->stop();
    }
}

/// Logs the queues on SIGUSR2, as Kueue does; without a handler, the signal would end the process.
boost::asio::awaitable<void> log_queues_on_signal(controller::ControllerProcess* process) {
    const auto executor = co_await boost::asio::this_coro::executor;
    net::Signals signals(executor, {SIGUSR2});
    for (;;) {
        const int number = co_await signals.next();
        if (number == 0) {
            co_return;
        }
        process->log_queues();
    }
}

/// Raises the limit of open files: the webhook serves thousands of connections, and the usual soft
/// limit is 1,024 files.
void raise_file_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) {
        return;
    }
    const auto before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        log::warning("cannot raise the open-file limit", {{"limit", before}});
    }
}

void warn_of_exposed_token(const kube::ClientConfig& config) {
    if (kube::exposes_token(config)) {
        log::warning(
            "the token is sent unencrypted; use an https:// server",
            {{"server", fmt::format("http://{}:{}", config.host, config.port)}}
        );
    }
}

void log_start(const kube::Connection& connection) {
    log::info(
        "starting",
        {{"version", std::string(version())},
         {"apiServer", fmt::format("{}:{}", connection.config.host, connection.config.port)},
         {"by", connection.found_in}}
    );
}

void warn_of_settings_without_effect(const controller::ProcessOptions& options) {
    for (const std::string& name : options.gates.removed()) {
        log::warning("feature gate no longer has an effect", {{"gate", name}});
    }
}

/// Makes the clients without a request limit: a lease is lost if its renewal waits too long behind
/// other requests, and reviews of requests must not wait either. Returns the clients; the options
/// own them.
Result<std::vector<kube::HttpClient*>> make_unlimited_clients(
    kube::ClientConfig config, const Clock& clock, controller::ProcessOptions* options
) {
    std::vector<kube::HttpClient*> made;
    config.qps = -1;
    auto lease = kube::HttpClient::make(config, clock, options->seed + 1);
    if (!lease) {
        return lease.error();
    }
    auto review = kube::HttpClient::make(config, clock, options->seed + 2);
    if (!review) {
        return review.error();
    }
    if (options->gates.is_enabled(config::Feature::VisibilityOnDemand)) {
        auto visibility = kube::HttpClient::make(config, clock, options->seed + 3);
        if (!visibility) {
            return visibility.error();
        }
        made.push_back(visibility->get());
        options->visibility_client = std::move(*visibility);
    }
    made.push_back(review->get());
    made.push_back(lease->get());
    options->review_client = std::move(*review);
    options->lease_client = std::move(*lease);
    return made;
}

/// Returns a registry of every kind that some configuration without integrations.jobKinds enables.
controller::Registry make_whole_registry() {
    std::vector<job_kinds::ConfiguredKind> kinds;
    for (const job_kinds::Description& builtin : job_kinds::builtin_descriptions()) {
        kinds.push_back({std::make_shared<const job_kinds::Description>(builtin)});
    }
    return controller::make_registry(
        kinds,
        true,
        {controller::pod_kind(true),
         controller::stateful_set_kind(true),
         controller::leader_worker_set_kind()}
    );
}

/// Adds the options of the log, with those of Kueue's command lines.
void add_log_options(CLI::App& command, const std::shared_ptr<Options>& options) {
    command.add_option(
        "--log-level",
        options->log.log_level,
        fmt::format(
            "Lowest level to log: debug, info, warning, error or off (default: {})",
            options->log.log_level
        )
    );
    command.add_option(
        "--log-format",
        options->log.log_format,
        fmt::format(
            "Log format: text, or json with one object per line (default: {})",
            options->log.log_format
        )
    );
    command.add_option(
        "--zap-log-level",
        options->log.zap_level,
        "Kueue's alias of --log-level: debug, info, error, panic or a number (4 or more: debug)"
    );
    command.add_option(
        "--zap-encoder", options->log.zap_encoder, "Kueue's alias of --log-format: console or json"
    );
    command.add_flag(
        "--zap-devel",
        options->log.zap_devel,
        "Alias of --log-level=debug, for Kueue's command lines"
    );
    command.add_option(
        "--zap-stacktrace-level",
        options->log.zap_stacktrace_level,
        "Ignored; accepted for Kueue's command lines. Log lines have no stack traces"
    );
    command.add_option(
        "--zap-time-encoding",
        options->log.zap_time_encoding,
        "Ignored; accepted for Kueue's command lines. Times are always in RFC 3339"
    );
}

/// Checks what needs no API server. Returns the options of the journal. Errors: those of the log, a
/// missing configuration, and the journal's folder.
Result<std::optional<journal::SegmentOptions>> check_early(const ControllerOptions& options) {
    if (const auto set = set_up_log(options.log); !set) {
        return set.error();
    }
    if (std::error_code gone;
        !options.config_file.empty() && !std::filesystem::exists(options.config_file, gone)) {
        const std::string why = gone ? gone.message() : "No such file or directory";
        return make_invalid(fmt::format("file {}: {}", options.config_file, why));
    }
    return make_segment_options(options.journal);
}

}  // namespace

int run_controller(const ControllerOptions& options) {
    auto journal = check_early(options);
    if (!journal) {
        log::error("cannot start", {{"error", journal.error().detail}});
        return kMisconfigured;
    }
    auto connection = load_connection(options.kubeconfig_file, options.context);
    if (!connection) {
        log::error("cannot start", {{"error", connection.error().detail}});
        return kMisconfigured;
    }
    warn_of_exposed_token(connection->config);
    auto process_options = make_process_options({
        .config_file = options.config_file,
        .controllers = options.controllers,
        .feature_gates = options.feature_gates,
        .in_cluster = connection->in_cluster,
        .pod_namespace = connection->pod_namespace,
    });
    if (!process_options) {
        log::error("cannot start", {{"error", process_options.error().detail}});
        return kMisconfigured;
    }
    process_options->journal = *std::move(journal);
    process_options->webhook_socket = options.webhook_socket;
    log_start(*connection);
    warn_of_settings_without_effect(*process_options);
    connection->config.qps = process_options->configuration.client_connection.qps;
    connection->config.burst = process_options->configuration.client_connection.burst;
    const SystemClock clock;
    net::EventLoop loop;  // the client's connections belong to it
    auto client = kube::HttpClient::make(connection->config, clock, process_options->seed);
    auto clients = client ? make_unlimited_clients(connection->config, clock, &*process_options)
                          : Result<std::vector<kube::HttpClient*>>(client.error());
    if (!clients) {
        log::error("cannot start", {{"error", clients.error().detail}});
        return kMisconfigured;
    }
    clients->push_back(client->get());
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    int exit_code = 1;
    {
        controller::ControllerProcess process(**client, clock, loop, std::move(*process_options));
        const std::string host =
            fmt::format("{}:{}", connection->config.host, connection->config.port);
        for (kube::HttpClient* each : *clients) {
            each->on_answer([&process, host](const std::string& method, int status) {
                process.count_request(host, method, status);
            });
        }
        net::TaskGroup tasks(loop.executor(), "main");
        tasks.spawn(run_to_end(&process, &loop, &exit_code), "process");
        if (!options.stop) {
            tasks.spawn(stop_on_signal(&process), "signals");
        }
        const std::stop_callback on_stop(options.stop.value_or(std::stop_token()), [&] {
            loop.post([&process] { process.stop(); });
        });
        tasks.spawn(log_queues_on_signal(&process), "SIGUSR2");
        loop.run();
    }
    return exit_code;
}

std::set<std::string> controller_names() {
    std::set<std::string> names{
        std::string(kSchedulerController),
        controller::kElasticJobController,
        controller::kJobKindsController
    };
    const controller::Registry registry = make_whole_registry();
    for (const controller::KindEntry& entry : registry.all()) {
        if (entry.reconcile) {
            names.insert(entry.controller);
        }
    }
    return names;
}

std::map<std::string, std::set<std::string>> controller_groups() {
    std::map<std::string, std::set<std::string>> groups{
        {"concurrentadmission", {}},
        {"core", {}},
        {"elasticjobs", {controller::kElasticJobController}},
        {"failurerecovery", {}},
        {"jobs", {controller::kJobKindsController}},
        {"multikueue", {}},
        {"provisioning", {}},
        {"tas", {controller::kTopologyController}},
    };
    const controller::Registry registry = make_whole_registry();
    for (const controller::KindEntry& entry : registry.all()) {
        if (entry.reconcile && entry.controller != controller::kTopologyController) {
            groups[entry.job ? "jobs" : "core"].insert(entry.controller);
        }
    }
    return groups;
}

Result<std::set<std::string>> parse_controllers(std::string_view text) {
    const std::set<std::string> known = controller_names();
    const auto groups = controller_groups();
    std::set<std::string> on;
    std::set<std::string> mentioned;
    bool all = false;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        std::string_view part = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (part == "*") {
            all = true;
            continue;
        }
        const bool off = part.starts_with('-');
        const std::string name(off ? part.substr(1) : part);
        const auto group = groups.find(name);
        if (group == groups.end() && !known.contains(name)) {
            return make_invalid(fmt::format(
                "unknown controller \"{}\"; known are {} and the groups {}",
                name,
                fmt::join(known, ", "),
                fmt::join(std::views::keys(groups), ", ")
            ));
        }
        for (const std::string& one :
             group == groups.end() ? std::set<std::string>{name} : group->second) {
            if (mentioned.insert(one).second && !off) {
                on.insert(one);
            }
        }
    }
    if (all) {
        for (const std::string& name : known) {
            if (!mentioned.contains(name)) {
                on.insert(name);
            }
        }
    }
    return on;
}

void add_controller(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("controller", "Queue, admit and run the jobs of a cluster");
    command->add_option(
        "--config",
        options->config_file,
        "Configuration file (config.kueue.x-k8s.io), YAML or JSON (default: Kueue's defaults)"
    );
    command->add_option(
        "--kubeconfig",
        options->kubeconfig_file,
        "Kubeconfig file (default: the service account of the pod; outside a pod, the files in "
        "$KUBECONFIG, or ~/.kube/config)"
    );
    command->add_option(
        "--context", options->context, "Context of the kubeconfig (default: its current-context)"
    );
    command->add_option(
        "--controllers",
        options->controllers,
        fmt::format(
            "Controllers to run: * for all, NAME to add one, -NAME to exclude one (default: {}). "
            "Names: {}. Groups: {}; a group of features that this version lacks is empty. A "
            "process that runs only some of them needs its own lease "
            "(leaderElection.resourceName) and permission to use it",
            options->controllers,
            fmt::join(controller_names(), ", "),
            fmt::join(std::views::keys(controller_groups()), ", ")
        )
    );
    command->add_option(
        "--feature-gates",
        options->feature_gates,
        "Feature gates: Name=true,Other=false (default: Kueue's)"
    );
    add_log_options(*command, options);
    add_journal_options(*command, options->journal);
    command->callback([options, &exit_code] { exit_code = run_controller(*options); });
}

}  // namespace sluice::commands
