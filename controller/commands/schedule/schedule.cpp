#include "controller/commands/schedule/schedule.hpp"

#include "api/meta/micro_time.hpp"
#include "base/clock.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/report_line.hpp"
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
    std::uint64_t cycles_max = 60;  ///< two workloads can evict each other forever
    bool until_stable = false;
    std::string output = "json";
    bool skip_invalid = false;
};

constexpr const char* kDescription =
    R"(Decide offline, on Kubernetes objects from files, what one scheduling cycle, several, or as
many as it takes would admit, preempt and refuse, and why.

Objects: Namespace, LimitRange, RuntimeClass, Node, Pod, and the kinds of kueue.x-k8s.io in both
versions, as `kubectl get -o yaml` prints them. Nodes, and pods on them, matter for flavors with a
topology, or with the annotation sluice.dev/capacity: Enforce. PriorityClass is accepted and changes
nothing: a Workload's priority is in its spec. Time does not advance from --now: a workload in
backoff until a later time is not tried.

JSON output, keys sorted, empty lists printed; workloads are "namespace/name":
  cycles[]: cycle, and
    admitted[]: workload, clusterQueue, admission (as in status.admission), borrows
    preempted[]: workload, clusterQueue, reason (of condition Preempted), preemptor
    notAdmitted[]: workload, clusterQueue, reason and message (of condition QuotaReserved),
      requeued (where the workload is now: "active", "inadmissible", or "" if it was dropped),
      explanation.constraints[], the most binding first:
        kind: quota, borrowingLimit, lendingLimit, taint, affinity, topology, capacity,
          undeclaredResource, replacedSlice, namespace, inactive, priority, gate, check or requests
        podSet, resource, flavor
        node: "clusterQueue/NAME" or "cohort/NAME"
        needed: the amount that this podSet and the podSets before it request (with minCount, for
          the fewest pods), plus the amount that a slice replaced by the workload holds
        free: the amount that was free when the workload was refused, plus the amount that such a
          slice holds; the difference of needed and free is missing
        limit: what the ClusterQueue could have if nothing were used
        nominal, borrowed
        holders[]: workload, amount, priority, evicted (it is being evicted), reserved (the cycle
          keeps the amount for it)
        remedies[]: wait, borrow, preempt; empty if nothing helps
        reclaimWithinCohort: the policy, if other queues use nominal quota that would be enough, and
          the policy does not let the ClusterQueue take it back
        passedOver: true if this attempt did not try the flavor: the attempt before stopped at it,
          and this one began with the next flavor. It is tried again after the others. A quota
          constraint that is passed over and has no numbers means that the flavor has room
  active, inadmissible: the pending workloads of each ClusterQueue after the last cycle, in
    service order

Workloads are pending in one of two places. Active workloads are in the heap of their ClusterQueue,
from which a cycle takes the next one to try. Inadmissible workloads are parked outside it until a
change that could help. A ClusterQueue, too, is active or inactive: an inactive one (its condition
Active is False) admits nothing, whatever workloads are in its heap.

Some workloads are not tried: no queue takes them, their ClusterQueue is inactive, others are first,
or they request the same as a refused workload. The table lists them with their reasons, and the
inactive ClusterQueues. For JSON and YAML, both are notes on stderr.

--until-stable ends when no active ClusterQueue has a workload to try, or after a number of cycles
in a row in which nothing was admitted, preempted or moved: one more than the largest resource group
has flavors. These idle cycles are not printed. A workload that only idle cycles refused is listed
like an untried one. After --max-cycles it ends with a note. Only --until-stable lets evicted
workloads end. With --cycles they keep their quota to the last cycle, and workloads that need this
quota keep waiting.

Also on stderr: warnings about unknown fields, and bad objects. An object that a CRD's schema
rejects is bad. A bad object ends the command, unless --skip-invalid is given.

Words in the table. OUTCOME: admitted (quota is reserved; with admission checks it may not start
yet), preempted, retries (refused, and tried again in the next cycle), waits (refused, and tried
again after a change that could help), dropped (refused, and no longer in a queue). PENDING: active
(in the heap, to be tried), inadmissible (parked), inactive (the ClusterQueue is inactive, so that
none of its workloads is tried). DETAILS show what was free when it was the workload's turn. Each
holder is listed with all its quota, including what a lendingLimit keeps from other queues.

An input without a Workload leaves nothing to decide: a note on stderr says so, and the exit code
is 0. Jobs are not decided on; `sluice test` does that.

Exit code: 0; 2 if an object, the configuration or an option is bad; 1 if the output cannot be
written (see stderr).)";

int fail(std::string_view text) {
    report_line("error", text);
    return kBadInput;
}

/// Returns the objects of all files; nullopt, after an error, if one is bad and must not be
/// skipped.
std::optional<ScheduleInput> load_objects(const ScheduleOptions& options) {
    const auto files = read_input_files(options.files);
    if (!files) {
        report_line("error", files.error().detail);
        return std::nullopt;
    }
    ScheduleInput input = read_input(*files);
    for (const auto& warning : input.warnings) {
        report_line("warning", warning);
    }
    for (const auto& note : input.notes) {
        report_line("note", note);
    }
    for (const auto& problem : input.problems) {
        report_line(options.skip_invalid ? "skipped" : "error", problem);
    }
    if (!input.problems.empty() && !options.skip_invalid) {
        return std::nullopt;
    }
    if (input.cluster.workloads.empty()) {
        report_line(
            "note",
            "the input contains no Workload: there is nothing to decide (sluice test decides on "
            "Jobs)"
        );
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
    // Not destroyed: the process ends after one call, and destroying a large cluster takes a tenth
    // of its time. The next call destroys it; the program has none.
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
        report_line("note", note);
    }
    if (options.output != "table") {
        for (const auto& note : waiting_notes(made)) {
            report_line("note", note);
        }
    }
    // fmt::print() would throw if the output cannot be written; main() reports that instead.
    const std::string text = print_report(made, options.output);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

}  // namespace

void add_schedule(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<ScheduleOptions>();
    auto* command = program.add_subcommand("schedule", "Decide offline on objects from files");
    command->footer(kDescription);
    command
        ->add_option(
            "-f,--filename",
            options->files,
            "Files with objects, or folders of such files; - for standard input"
        )
        ->required();
    command->add_option("--config", options->config, "Configuration file (config.kueue.x-k8s.io)");
    command->add_option(
        "--now", options->now, "Time of the decision, RFC 3339 (default: the current time)"
    );
    auto* cycles = command->add_option("--cycles", options->cycles, "Number of cycles, at least 1")
                       ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
                       ->capture_default_str();
    auto* stable = command->add_flag(
        "--until-stable",
        options->until_stable,
        "Run until nothing changes; evicted workloads release their quota"
    );
    stable->excludes(cycles);
    command
        ->add_option(
            "--max-cycles", options->cycles_max, "Largest number of cycles of --until-stable"
        )
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
        ->capture_default_str()
        ->needs(stable);
    command->add_option("-o,--output", options->output, "Output format: json, yaml or table")
        ->check(CLI::IsMember({"json", "yaml", "table"}))
        ->capture_default_str();
    command->add_flag(
        "--skip-invalid", options->skip_invalid, "Skip bad objects instead of failing"
    );
    command->callback([options, &exit_code] { exit_code = run_schedule(*options); });
}

}  // namespace sluice::commands
