#include "controller/commands/test/test.hpp"

#include "api/meta/micro_time.hpp"
#include "base/printable.hpp"
#include "controller/commands/cluster/cluster_setup.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "controller/commands/controller/log_options.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/manifests.hpp"
#include "controller/commands/test/expectations.hpp"
#include "controller/commands/test/flavor_nodes.hpp"
#include "controller/commands/test/junit.hpp"
#include "sim/objects/fields.hpp"
#include "yaml/parse.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

constexpr int kUnmet = 1;
constexpr int kCannotRun = 2;
/// Longer than the controller's retries: after that, only deadlines change something.
constexpr Duration kQuiet = std::chrono::minutes(10);
/// Idle time between two files: the jobs of the first file have started, and their pods still run.
constexpr Duration kQuietBetween = std::chrono::seconds(10);
constexpr Duration kBetweenMax = std::chrono::seconds(30);
/// Times of the API are in whole seconds.
constexpr Duration kBeyond = std::chrono::seconds(1);

struct Options {
    VirtualCluster::Options cluster;
    std::vector<std::string> files;
    std::vector<std::string> expectation_files;
    std::string junit_file;
    std::string config_file;
    std::string feature_gates;
    LogOptions log;
    int run_seconds = -1;
    int hours = 24;
};

Result<Expectations> read_all_expectations(const std::vector<std::string>& names) {
    Expectations all;
    const auto files = read_input_files(names);
    if (!files) {
        return files.error();
    }
    for (const InputFile& file : *files) {
        const auto documents = yaml::parse_documents(file.text);
        for (const yaml::Document& document : documents) {
            if (!document.value) {
                return yaml::in_file(document.value.error(), file.name);
            }
            auto read = read_expectations(*document.value);
            if (!read) {
                return with_context(read.error(), file.name);
            }
            std::ranges::move(read->jobs, std::back_inserter(all.jobs));
            std::ranges::move(read->cluster_queues, std::back_inserter(all.cluster_queues));
            std::ranges::move(read->refused, std::back_inserter(all.refused));
        }
    }
    if (all.jobs.empty() && all.cluster_queues.empty() && all.refused.empty()) {
        return make_invalid(fmt::format("{}: contains no expectations", fmt::join(names, ", ")));
    }
    return all;
}

void apply(VirtualCluster& cluster, const Manifest& manifest, std::vector<Refusal>& refusals) {
    const json::Value& object = manifest.object;
    if (const auto done = cluster.apply(object); !done) {
        refusals.push_back(
            {.kind = std::string(object.string_at("kind")),
             .name = full_name(cluster.state().types, object),
             .message = done.error().detail,
             .place = to_string(manifest.place())}
        );
    }
}

/// Runs the cluster until nothing changes any more, and past each deadline before the limit.
/// Returns false if the cluster is still changing at the limit.
bool come_to_rest(VirtualCluster& cluster, Duration limit) {
    const Time end = cluster.now() + limit;
    for (;;) {
        // Changes right before the end may need time after it.
        if (!cluster.settle(kQuiet, std::max<Duration>(end - cluster.now(), 2 * kQuiet))) {
            return false;
        }
        const auto deadline = cluster.next_deadline();
        if (!deadline || *deadline >= end) {
            return true;
        }
        const Duration wait = std::max<Duration>(*deadline - cluster.now(), Duration());
        cluster.run_for(std::min<Duration>(wait + kBeyond, end - cluster.now()));
    }
}

Result<void> write_junit(
    const std::string& name, const std::vector<Verdict>& verdicts, double seconds
) {
    std::ofstream file(name);
    file << print_junit("sluice test", verdicts, seconds);
    file.close();
    if (!file) {
        return make_invalid("cannot write " + name);
    }
    return {};
}

/// Writes a failure to the JUnit file if the test could not run, so that its readers see it.
void record_junit_failure(const std::string& name, const Error& error) {
    if (name.empty()) {
        return;
    }
    const std::vector<Verdict> verdicts{{.name = "the test can be run", .failure = error.detail}};
    if (const auto written = write_junit(name, verdicts, 0); !written) {
        fmt::print(stderr, "error: {}\n", printable(written.error().detail));
    }
}

/// Prints the verdicts. Returns the number of failures.
std::size_t report_verdicts(const std::vector<Verdict>& verdicts) {
    std::size_t failed = 0;
    for (const Verdict& verdict : verdicts) {
        fmt::print("{} {}\n", verdict.failure.empty() ? "ok   " : "FAIL ", printable(verdict.name));
        if (!verdict.failure.empty()) {
            fmt::print("      {}\n", printable(verdict.failure));
            ++failed;
        }
    }
    return failed;
}

std::string print_elapsed(Duration duration) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// Chooses nodes for the flavors of the files if no nodes are given, and the run time of pods.
void choose_nodes_and_times(Options& options, const std::vector<Manifest>& manifests) {
    if (options.cluster.nodes.empty()) {
        std::vector<json::Value> objects;
        objects.reserve(manifests.size());
        for (const Manifest& manifest : manifests) {
            objects.push_back(manifest.object);
        }
        options.cluster.node_objects = make_flavor_nodes(objects);
    }
    if (options.run_seconds >= 0) {
        options.cluster.run_time = std::chrono::seconds(options.run_seconds);
    }
}

std::string print_hours(int hours) {
    return fmt::format("{} {}", hours, hours == 1 ? "hour" : "hours");
}

/// Returns true if a CronJob is active: it creates Jobs forever.
bool has_active_cron_job(const apiserver::Store& store) {
    return std::ranges::any_of(store.objects({"batch", "cronjobs"}), [](const auto& entry) {
        return !sim::is_true_at(*entry.second, {"spec", "suspend"});
    });
}

/// The result of a test.
struct Ended {
    VirtualCluster& cluster;
    const std::vector<Verdict>& verdicts;
    bool is_settled = false;
    Instant begun;  ///< in real time
};

/// Prints the result and writes it to the JUnit file. Returns the exit code.
int finish_test(const Options& options, const Ended& ended) {
    const auto& store = ended.cluster.state().store;
    const std::size_t failed = report_verdicts(ended.verdicts);
    if (options.expectation_files.empty()) {
        fmt::print("{}", describe_workloads(store));
    }
    fmt::print("{}", describe_waiting_pods(store));
    if (const auto deadline = ended.cluster.next_deadline(); ended.is_settled && deadline) {
        fmt::print(
            "not idle after {} (--hours): the next change is due at {} of virtual time\n",
            print_hours(options.hours),
            api::to_string(*deadline)
        );
    }
    const double seconds =
        std::chrono::duration<double>(SystemClock().instant() - ended.begun).count();
    bool is_written = true;
    if (!options.junit_file.empty()) {
        const auto written = write_junit(options.junit_file, ended.verdicts, seconds);
        is_written = written.has_value();
        if (!is_written) {
            fmt::print(stderr, "error: {}\n", printable(written.error().detail));
        }
    }
    fmt::print(
        "{}; {} of virtual time in {:.2f} s\n",
        options.expectation_files.empty()
            ? std::string("nothing was tested: add --expect FILE")
            : fmt::format("{} passed, {} failed", ended.verdicts.size() - failed, failed),
        print_elapsed(ended.cluster.now() - VirtualCluster::kStart),
        seconds
    );
    if (!is_written) {
        return kCannotRun;
    }
    return failed == 0 ? 0 : kUnmet;
}

Result<int> run_test(Options options) {
    const Instant begun = SystemClock().instant();
    if (const auto done = set_up_log(options.log); !done) {
        return done.error();
    }
    const auto manifests = read_manifests(options.files);
    if (!manifests) {
        return manifests.error();
    }
    if (manifests->empty()) {
        return make_invalid(fmt::format("{}: contains no objects", fmt::join(options.files, ", ")));
    }
    const auto expectations = options.expectation_files.empty()
                                  ? Result<Expectations>(Expectations())
                                  : read_all_expectations(options.expectation_files);
    if (!expectations) {
        return expectations.error();
    }
    auto configuration = read_configuration(options.config_file, options.feature_gates);
    if (!configuration) {
        return configuration.error();
    }
    options.cluster.configuration = std::move(*configuration);
    choose_nodes_and_times(options, *manifests);
    const Duration limit = std::chrono::hours(options.hours);
    auto made = VirtualCluster::make(std::move(options.cluster));
    if (!made) {
        return made.error();
    }
    VirtualCluster& cluster = **made;
    if (const auto started = cluster.start_controller(); !started) {
        return started.error();
    }
    std::vector<Refusal> refusals;
    std::set<std::string> applied;
    for (auto at = manifests->begin(); at != manifests->end(); ++at) {
        applied.insert(full_name(cluster.state().types, at->object));
        apply(cluster, *at, refusals);
        if (std::next(at) == manifests->end() || std::next(at)->number != at->number) {
            cluster.settle(kQuietBetween, kBetweenMax);
        }
    }
    const bool is_settled = come_to_rest(cluster, limit);
    auto verdicts = judge(*expectations, cluster.state().store, refusals, applied);
    if (!is_settled && has_active_cron_job(cluster.state().store)) {
        fmt::print(
            "not idle after {} (--hours): CronJobs are active\n", print_hours(options.hours)
        );
    } else if (!is_settled) {
        verdicts.push_back(
            {.name = "the cluster becomes idle",
             .failure = "objects still change after " + print_hours(options.hours)}
        );
    }
    return finish_test(
        options,
        {.cluster = cluster, .verdicts = verdicts, .is_settled = is_settled, .begun = begun}
    );
}

}  // namespace

void add_test(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    options->log.log_level = "off";
    CLI::App* command = app.add_subcommand(
        "test", "Apply objects to a cluster in memory, in virtual time, and check the result"
    );
    command
        ->add_option(
            "-f,--filename",
            options->files,
            "Files or folders to apply in order; each file waits until the cluster is idle, for at "
            "most 30 virtual seconds; may be repeated"
        )
        ->required();
    command->add_option(
        "--expect",
        options->expectation_files,
        "Files, or folders of files, with expected jobs, ClusterQueues and refusals; may be "
        "repeated (default: print all Workloads)"
    );
    command->add_option("--junit", options->junit_file, "File for the results, as JUnit XML");
    command->add_option(
        "--nodes",
        options->cluster.nodes,
        "Nodes, as for sluice dev (default: one unlimited node per ResourceFlavor)"
    );
    command
        ->add_option(
            "--run-seconds",
            options->run_seconds,
            "Run time in seconds of pods that neither run `sleep N` nor have the annotation "
            "sluice.dev/run-seconds (default: all pods without it run forever)"
        )
        ->check(CLI::Range(0, std::numeric_limits<int>::max()));
    command->add_option("--hours", options->hours, "Time limit in virtual hours (default: 24)")
        ->check(CLI::Range(1, 24 * 365));
    command->add_option("--config", options->config_file, "Configuration file of the controller");
    command->add_option(
        "--feature-gates",
        options->feature_gates,
        "Feature gates of the controller: Name=true,Other=false"
    );
    command->add_option(
        "--log-level", options->log.log_level, "Log level of the controller (default: off)"
    );
    command->callback([options, &exit_code] {
        const std::string junit_file = options->junit_file;
        const auto ended = run_test(std::move(*options));
        if (!ended) {
            fmt::print(stderr, "error: {}\n", printable(ended.error().detail));
            record_junit_failure(junit_file, ended.error());
        }
        exit_code = ended ? *ended : kCannotRun;
    });
}

}  // namespace sluice::commands
