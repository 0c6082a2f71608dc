#include "controller/commands/schedule.hpp"

#include "api/micro_time.hpp"
#include "base/clock.hpp"
#include "base/printable.hpp"
#include "controller/commands/input_files.hpp"
#include "controller/commands/schedule_configuration.hpp"
#include "controller/commands/schedule_input.hpp"
#include "controller/commands/schedule_output.hpp"
#include "controller/commands/schedule_simulation.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kBadInput = 2;

struct ScheduleOptions {
    std::vector<std::string> files;
    std::string config;
    std::string now;
    std::uint64_t cycles = 1;
    std::uint64_t cycles_max = 60;  ///< two workloads can evict each other for ever
    bool until_stable = false;
    std::string output = "json";
    bool skip_invalid = false;
};

constexpr const char* kDescription =
    R"(Decides offline on Kubernetes objects from files: what one scheduling cycle, several, or as
many as it takes would admit, preempt and refuse, and why.

Objects: Namespace, LimitRange, RuntimeClass, and the kinds of kueue.x-k8s.io in both versions, as
`kubectl get -o yaml` prints them. PriorityClass and Node may be there and change nothing: a
Workload's priority stands in its spec. Time stands still at --now: who backs off until later is
not tried.

JSON output, keys sorted, empty lists printed; workloads are "namespace/name":
  cycles[]: cycle, and
    admitted[]: workload, clusterQueue, admission (as in status.admission), borrows
    preempted[]: workload, clusterQueue, reason (of condition Preempted), preemptor
    notAdmitted[]: workload, clusterQueue, reason and message (of condition QuotaReserved),
      requeued ("active", "inadmissible", or "" when it was dropped),
      explanation.constraints[], most binding first: kind (quota, borrowingLimit, lendingLimit,
        taint, affinity, topology, undeclaredResource, replacedSlice, namespace, inactive,
        priority, gate, check, requests), podSet, resource, flavor,
        node ("clusterQueue/NAME" or "cohort/NAME"),
        needed (with earlier podSets; of minCount pods where these would do; with what a slice
        holds that is replaced), free (when it was refused, with what that slice holds), limit
        (what the ClusterQueue could have at most), nominal, borrowed, holders[] (workload, amount,
        priority, evicted: on its way out, reserved: kept for it in this cycle), remedies[] (wait,
        borrow, preempt; empty: never), reclaimWithinCohort (the policy, where the nominal quota
        would do but others use it and it does not let the ClusterQueue have it back), passedOver
        (the search went on behind that flavor, as it had stopped there before; quota without
        numbers: there is room in it)
  active, inadmissible: the pending workloads of each ClusterQueue after the last cycle, in
    service order

Some workloads get no turn: no queue takes them, their ClusterQueue is inactive, others come first,
or they ask for the same as one that was refused. The table lists them with their reasons, and the
inactive ClusterQueues; beside JSON and YAML both are notes on stderr.

--until-stable ends when no ClusterQueue has a workload to try, or after cycles in a row in which
nothing was admitted, preempted or moved: one more than the largest resource group has flavors.
These idle cycles are not printed; whom they alone refused is listed as above. After --max-cycles
it ends with a note. It alone lets evicted workloads go: with --cycles they hold their quota to the
end, and who waits for that goes on waiting.

On stderr also: warnings of fields that no schema knows, and bad objects. One that a CRD's schema
refuses is bad: nothing is decided without --skip-invalid.

The table's words. OUTCOME: admitted (quota is reserved; with admission checks it may not start
yet), preempted, retries (refused, and tried again in the next cycle), waits (refused, and tried
again when something changes that could help), dropped (refused, and in no queue any more).
PENDING: active (to be tried), inadmissible (waits as above), inactive (of a ClusterQueue that
admits nothing). DETAILS tell what was free when the workload was refused, in its turn; who holds
quota is listed with all of it, also with what a lendingLimit keeps from others.

Exit code: 0; 2 when an object, the configuration or an option is bad; 1 when the output cannot be
written (see stderr).)";

void report(std::string_view level, std::string_view text) {
    fmt::print(stderr, "{}: {}\n", level, printable(text));
}

int fail(std::string_view text) {
    report("error", text);
    return kBadInput;
}

Result<ScheduleConfiguration> load_configuration(const std::string& file) {
    if (file.empty()) {
        return ScheduleConfiguration{};
    }
    const auto text = read_file(file);
    if (!text) {
        return text.error();
    }
    auto configuration = read_configuration(*text);
    return configuration ? configuration : with_context(configuration.error(), file);
}

/// The objects of all files; nothing when one of them is bad and that is not to be skipped.
std::optional<ScheduleInput> load_objects(const ScheduleOptions& options) {
    const auto files = read_input_files(options.files);
    if (!files) {
        report("error", files.error().detail);
        return std::nullopt;
    }
    ScheduleInput input = read_input(*files);
    for (const auto& warning : input.warnings) {
        report("warning", warning);
    }
    for (const auto& note : input.notes) {
        report("note", note);
    }
    for (const auto& problem : input.problems) {
        report(options.skip_invalid ? "skipped" : "error", problem);
    }
    if (!input.problems.empty() && !options.skip_invalid) {
        return std::nullopt;
    }
    if (input.cluster.workloads.empty()) {
        report("note", "there is no Workload in the input");
    }
    return input;
}

std::string print(const ScheduleReport& report, std::string_view format) {
    return format == "yaml"    ? to_yaml(report)
           : format == "table" ? to_table(report)
                               : to_json(report);
}

int run(const ScheduleOptions& options) {
    auto now =
        options.now.empty() ? Result<Time>(SystemClock().now()) : api::parse_time(options.now);
    if (!now) {
        return fail("--now: " + now.error().detail);
    }
    auto configuration = load_configuration(options.config);
    if (!configuration) {
        return fail(configuration.error().detail);
    }
    auto input = load_objects(options);
    if (!input) {
        return kBadInput;
    }
    // Destroyed by the next call, of which the program has none: the process ends, and taking a
    // large cluster apart is a tenth of its time.
    static ScheduleSimulation* simulation = nullptr;
    delete simulation;
    simulation = new ScheduleSimulation(
        std::move(input->cluster), configuration->settings, configuration->options, *now
    );
    auto made = simulation->run(
        {.cycles = options.until_stable ? options.cycles_max : options.cycles,
         .until_stable = options.until_stable}
    );
    made.skipped = input->problems.size();
    for (const auto& note : made.notes) {
        report("note", note);
    }
    if (options.output != "table") {
        for (const auto& note : waiting_notes(made)) {
            report("note", note);
        }
    }
    // fmt::print() would throw where nothing can be written; main() tells of that.
    const std::string text = print(made, options.output);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

}  // namespace

void add_schedule(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<ScheduleOptions>();
    auto* command = program.add_subcommand("schedule", "Decides offline on objects from files");
    command->footer(kDescription);
    command
        ->add_option(
            "-f,--filename", options->files, "Files of objects, or folders of such; - is stdin"
        )
        ->required();
    command->add_option("--config", options->config, "A Configuration of config.kueue.x-k8s.io");
    command->add_option(
        "--now", options->now, "Where the clock stands, RFC 3339 (default: the present)"
    );
    auto* cycles = command->add_option("--cycles", options->cycles, "So many cycles, at least 1")
                       ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
                       ->capture_default_str();
    auto* stable = command->add_flag(
        "--until-stable",
        options->until_stable,
        "Until nothing moves; evicted workloads release their quota"
    );
    stable->excludes(cycles);
    command
        ->add_option(
            "--max-cycles", options->cycles_max, "So many cycles of --until-stable at most"
        )
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
        ->capture_default_str()
        ->needs(stable);
    command->add_option("-o,--output", options->output, "json, yaml or table")
        ->check(CLI::IsMember({"json", "yaml", "table"}))
        ->capture_default_str();
    command->add_flag(
        "--skip-invalid", options->skip_invalid, "Go on without objects that are bad"
    );
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sluice::commands
