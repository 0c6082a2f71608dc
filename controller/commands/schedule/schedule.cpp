#include "controller/commands/schedule/schedule.hpp"

#include "api/meta/micro_time.hpp"
#include "base/clock.hpp"
#include "base/printable.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/schedule_configuration.hpp"
#include "controller/commands/schedule/schedule_input.hpp"
#include "controller/commands/schedule/schedule_output.hpp"
#include "controller/commands/schedule/schedule_simulation.hpp"

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
`kubectl get -o yaml` prints them. PriorityClass and Node are accepted and change nothing: a
Workload's priority is in its spec. Time stands still at --now: a workload that backs off until a
later time is not tried.

JSON output, keys sorted, empty lists printed; workloads are "namespace/name":
  cycles[]: cycle, and
    admitted[]: workload, clusterQueue, admission (as in status.admission), borrows
    preempted[]: workload, clusterQueue, reason (of condition Preempted), preemptor
    notAdmitted[]: workload, clusterQueue, reason and message (of condition QuotaReserved),
      requeued (where the workload went: "active", "inadmissible", or "" when it was dropped),
      explanation.constraints[], the most binding first: kind (quota, borrowingLimit,
        lendingLimit, taint, affinity, topology, undeclaredResource, replacedSlice, namespace,
        inactive, priority, gate, check, requests), podSet, resource, flavor,
        node ("clusterQueue/NAME" or "cohort/NAME"),
        needed (with what earlier podSets and a replaced slice take; for minCount pods where
        fewer would do), free (at the time of the refusal, with what a replaced slice takes),
        limit (what the ClusterQueue could have if nothing were used), nominal, borrowed,
        holders[] (workload, amount, priority, evicted: it is on its way out, reserved: the cycle
        keeps the amount for it), remedies[] (wait, borrow, preempt; empty: nothing helps),
        reclaimWithinCohort (the policy, where other queues use nominal quota that would do, and
        the policy does not let the ClusterQueue take it back),
        passedOver (an earlier search stopped at this flavor, so this one began behind it; a quota
        constraint without numbers: the flavor has room)
  active, inadmissible: the pending workloads of each ClusterQueue after the last cycle, in
    service order

Workloads are pending in one of two places. Active workloads are in the heap of their ClusterQueue,
from which a cycle takes the next one to try. Inadmissible workloads are parked beside it until a
change that could help. A ClusterQueue, too, is active or inactive: an inactive one (its condition
Active is False) admits nothing, whatever workloads are in its heap.

Some workloads get no turn: no queue takes them, their ClusterQueue is inactive, others come first,
or they ask for the same as one that was refused. The table lists them with their reasons, and the
inactive ClusterQueues. With JSON and YAML both are notes on stderr.

--until-stable ends when no active ClusterQueue has a workload to try, or after a number of cycles
in a row in which nothing was admitted, preempted or moved: one more than the largest resource group
has flavors. These idle cycles are not printed. A workload that only they refused is listed like one
without a turn. After --max-cycles it ends with a note. Only --until-stable lets evicted workloads
end. With --cycles they hold their quota to the last cycle, and the workloads that need this quota
keep waiting.

On stderr also: warnings of fields that no schema knows, and bad objects. An object that a CRD's
schema refuses is bad. With a bad object nothing is decided, unless --skip-invalid is given.

The table's words. OUTCOME: admitted (quota is reserved; with admission checks it may not start
yet), preempted, retries (refused, and tried again in the next cycle), waits (refused, and tried
again after a change that could help), dropped (refused, and in no queue any more).
PENDING: active (in the heap, to be tried), inadmissible (parked), inactive (the ClusterQueue is
inactive, so that none of its workloads is tried). DETAILS tell what was free when it was the
workload's turn. Each holder is listed with all of its quota, also with what a lendingLimit keeps
from other queues.

Exit code: 0; 2 when an object, the configuration or an option is bad; 1 when the output cannot be
written (see stderr).)";

void report(std::string_view level, std::string_view text) {
    fmt::print(stderr, "{}: {}\n", level, printable(text));
}

int fail(std::string_view text) {
    report("error", text);
    return kBadInput;
}

Result<ScheduleConfiguration> load_schedule_configuration(const std::string& file) {
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

std::string print_report(const ScheduleReport& report, std::string_view format) {
    return format == "yaml"    ? to_yaml(report)
           : format == "table" ? to_table(report)
                               : to_json(report);
}

int run_schedule(const ScheduleOptions& options) {
    auto now =
        options.now.empty() ? Result<Time>(SystemClock().now()) : api::parse_time(options.now);
    if (!now) {
        return fail("--now: " + now.error().detail);
    }
    auto configuration = load_schedule_configuration(options.config);
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
    // fmt::print() would throw where nothing can be written; main() reports that.
    const std::string text = print_report(made, options.output);
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
            "-f,--filename",
            options->files,
            "Files with objects, or folders of such files; - is stdin"
        )
        ->required();
    command->add_option("--config", options->config, "A Configuration of config.kueue.x-k8s.io");
    command->add_option(
        "--now", options->now, "The time of the decision, RFC 3339 (default: the present)"
    );
    auto* cycles =
        command->add_option("--cycles", options->cycles, "The number of cycles, at least 1")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
            ->capture_default_str();
    auto* stable = command->add_flag(
        "--until-stable",
        options->until_stable,
        "Run until nothing changes; evicted workloads release their quota"
    );
    stable->excludes(cycles);
    command->add_option("--max-cycles", options->cycles_max, "The most cycles of --until-stable")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
        ->capture_default_str()
        ->needs(stable);
    command->add_option("-o,--output", options->output, "json, yaml or table")
        ->check(CLI::IsMember({"json", "yaml", "table"}))
        ->capture_default_str();
    command->add_flag(
        "--skip-invalid",
        options->skip_invalid,
        "Leave out bad objects instead of ending with an error"
    );
    command->callback([options, &exit_code] { exit_code = run_schedule(*options); });
}

}  // namespace sluice::commands
