#include "controller/commands/dev/dev_step.hpp"

#include "api/meta/micro_time.hpp"
#include "base/printable.hpp"
#include "base/prng.hpp"
#include "config/go_duration.hpp"
#include "controller/commands/cluster/cluster_setup.hpp"
#include "controller/commands/cluster/stepped_cluster.hpp"
#include "controller/commands/controller/log_options.hpp"
#include "controller/commands/dev/kubeconfig_file.hpp"
#include "controller/commands/dev/line_reader.hpp"
#include "controller/commands/schedule/manifests.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

/// Exit code after a rejected object or a line that is not a step.
constexpr int kNotAllDone = 1;
constexpr Duration kStepMax = std::chrono::hours(24 * 365);

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    const std::size_t last = text.find_last_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, last - first + 1);
}

/// Prints the events since the last call.
void print_events(SteppedCluster& cluster, const DevOptions& options) {
    for (const std::string& line : cluster.take_events()) {
        if (!options.is_quiet) {
            fmt::print("{}\n", line);
        }
    }
    std::fflush(stdout);
}

/// Prints the events, and the time to which the step is complete.
void print_time(SteppedCluster& cluster, const DevOptions& options) {
    print_events(cluster, options);
    fmt::print("time: {}\n", api::to_string(cluster.now()));
    std::fflush(stdout);
}

/// Runs the step of a line. Returns false if the line is not a step.
bool take_step(SteppedCluster& cluster, const DevOptions& options, std::string_view line) {
    if (line.empty()) {
        const SteppedCluster::Due due = cluster.step_to_next();
        if (!options.is_quiet && due != SteppedCluster::Due::Done) {
            fmt::print(
                "{}\n",
                due == SteppedCluster::Due::Nothing
                    ? "nothing is due"
                    : "nothing changed: the events that were due had no effect"
            );
        }
        return true;
    }
    const auto duration = config::parse_go_duration(line);
    if (!duration || *duration <= Duration() || *duration > kStepMax) {
        fmt::print(
            stderr,
            "error: \"{}\" is not a step; use an empty line, a duration such as 90s, 10m or 1h30m "
            "(at most 8760h), or q\n",
            printable(line)
        );
        return false;
    }
    cluster.step(*duration);
    return true;
}

/// Runs steps until the input ends or a stop is requested. Returns false if a line was not a step.
bool take_steps(SteppedCluster& cluster, const DevOptions& options, const std::stop_token& stop) {
    bool are_good = true;
    LineReader lines(STDIN_FILENO, [&cluster] { cluster.wake([] {}); });
    while (!stop.stop_requested()) {
        if (const auto taken = lines.take()) {
            const std::string_view line = trim(*taken);
            if (line == "q") {
                return are_good;
            }
            are_good = take_step(cluster, options, line) && are_good;
            print_time(cluster, options);
            continue;
        }
        if (lines.is_over()) {
            return are_good;
        }
        cluster.react();
        print_events(cluster, options);
        cluster.wait();
    }
    return are_good;
}

Result<std::unique_ptr<SteppedCluster>> start(
    const DevOptions& options, const std::stop_token& stop
) {
    LogOptions log;
    log.log_level = options.log_level;
    if (const auto done = set_up_log(log); !done) {
        return done.error();
    }
    auto configuration = read_configuration(options.config_file, options.feature_gates);
    if (!configuration) {
        return configuration.error();
    }
    return SteppedCluster::start(
        {.cluster =
             {.seed = random_seed(),
              .start = std::chrono::floor<std::chrono::seconds>(SystemClock().now()),
              .nodes = options.cluster.nodes,
              .run_time = std::chrono::seconds(options.run_seconds),
              .configuration = std::move(*configuration)},
         .port = options.cluster.port,
         .stop = stop}
    );
}

}  // namespace

int run_dev_steps(const DevOptions& options, StopSignals& stop) {
    const auto manifests = read_manifests(options.files);
    if (!manifests) {
        return cannot_start(manifests.error());
    }
    const auto started = start(options, stop.token());
    if (!started) {
        return cannot_start(started.error());
    }
    SteppedCluster& cluster = **started;
    auto kubeconfig = KubeconfigFile::prepare(options.kubeconfig, cluster.kubeconfig());
    if (!kubeconfig) {
        return cannot_start(kubeconfig.error());
    }
    bool are_good = true;
    for (const Manifest& manifest : *manifests) {
        const auto done = cluster.apply(manifest.object);
        if (stop.token().stop_requested()) {
            return 0;
        }
        if (!done) {
            print_refused(manifest, done.error());
            are_good = false;
        }
    }
    if (const auto done = kubeconfig->publish(); !done) {
        return cannot_start(done.error());
    }
    if (!options.is_quiet) {
        print_dev_start(
            options,
            cluster.port(),
            "Time stands still. Enter an empty line to advance to the next event, a duration such "
            "as "
            "10m or 90s to advance by that much, or q to quit."
        );
    }
    print_time(cluster, options);
    are_good = take_steps(cluster, options, stop.token()) && are_good;
    return are_good ? 0 : kNotAllDone;
}

}  // namespace sluice::commands
