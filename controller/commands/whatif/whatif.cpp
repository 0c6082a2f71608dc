#include "controller/commands/whatif/whatif.hpp"

#include "api/meta/codec.hpp"
#include "base/printable.hpp"
#include "controller/commands/offline/age.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/manifests.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/schedule/schedule_input.hpp"
#include "controller/commands/whatif/asked_change.hpp"
#include "insight/what_if.hpp"
#include "yaml/print.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kFailed = 2;

struct WhatIfOptions {
    SourceOptions source;
    std::string ns;
    std::vector<std::string> files;      ///< of jobs or objects
    std::vector<std::string> arguments;  ///< quotas or workloads
    std::int32_t count = 1;
    std::string output = "text";
    bool utc = false;
};

constexpr const char* kDescription =
    R"(Show what a change would start and evict at once. Cycles run on copies of the cluster, with
and without the change, until nothing more happens; evicted workloads stop at once. Nothing is
stored, and nothing is reserved: another job may come first.

  sluice whatif submit -f job.yaml --count 20
  sluice whatif quota clusterqueue/nlp a100:nvidia.com/gpu=+16 cohort/org a100:cpu=-8
  sluice whatif cancel job/nlp/train
  sluice whatif priority workload/nlp/job-train=high
  sluice whatif apply -f queues/

The controller answers. Jobs and objects first pass a dry run by the API server as you, so that its
webhooks, quotas and your rights apply. Users with rights in one namespace may submit, cancel and
set priorities there; other changes need the right to create whatifs at the cluster scope. Workloads
of namespaces that you may not read are called "another namespace". With --cluster, the change is
tried on objects from files, as `kubectl get -o yaml` prints them.

Exit code: 0; 2 if an option or an object is bad, or the cluster cannot be read.)";

std::string print_start(const api::WhatIfStart& start, const char* verb) {
    return fmt::format(
        "{} {}{}{}{}\n",
        start.workload,
        verb,
        start.flavors.empty() ? "" : fmt::format(" on {}", fmt::join(start.flavors, ", ")),
        start.cluster_queue.empty() ? "" : " in ClusterQueue " + start.cluster_queue,
        start.borrows ? ", borrowing" : ""
    );
}

/// Prints the first workload that waits for a reason, and how many more do.
std::string print_waiting(const std::vector<api::WhatIfWait>& waits) {
    std::map<std::string_view, std::size_t> counts;
    for (const auto& wait : waits) {
        ++counts[wait.why];
    }
    std::string lines;
    for (const auto& wait : waits) {
        const std::size_t others = std::exchange(counts[wait.why], 0);
        if (others > 1) {
            lines += fmt::format("{} and {} more wait: {}\n", wait.workload, others - 1, wait.why);
        } else if (others == 1) {
            lines += fmt::format("{} waits: {}\n", wait.workload, wait.why);
        }
    }
    return lines;
}

std::string print_status(const api::WhatIfStatus& status, TimeZone zone) {
    std::string lines;
    for (const auto& start : status.starts) {
        lines += print_start(start, "starts");
    }
    for (const auto& start : status.no_longer_starts) {
        lines += print_start(start, "no longer starts");
    }
    for (const auto& eviction : status.evicts) {
        lines += fmt::format(
            "{} is evicted{}{}\n",
            eviction.workload,
            eviction.preemptor.empty() ? "" : " for " + eviction.preemptor,
            eviction.amount.empty() ? "" : fmt::format(" ({})", eviction.amount)
        );
    }
    lines += print_waiting(status.waits);
    if (lines.empty()) {
        lines = "nothing changes\n";
    }
    if (status.truncated) {
        lines += "and maybe more: the run was cut off\n";
    }
    for (const auto& note : status.notes) {
        lines += note + "\n";
    }
    std::string text = fmt::format(
        "On the cluster of {}; nothing is stored.\n",
        status.as_of ? print_clock(*status.as_of, zone) : "now"
    );
    std::string_view label = "At once";
    std::string_view rest = lines;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() + 1);
        text += fmt::format("{:<9}{}\n", label, printable(line));
        label = "";
    }
    return text;
}

int run(const WhatIfOptions& options, const AskedChange& change, const std::string& ns) {
    const auto tried = try_change(options.source, ns, change);
    if (!tried) {
        report_line("error", tried.error().detail);
        return kFailed;
    }
    for (const auto& remark : tried->remarks) {
        report_line("note", remark);
    }
    const auto zone = options.utc ? TimeZone::Utc : TimeZone::Local;
    const std::string text = options.output == "json"
                                 ? json::print(api::to_value(tried->status)) + "\n"
                             : options.output == "yaml" ? yaml::print(api::to_value(tried->status))
                                                        : print_status(tried->status, zone);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

/// Returns the namespace of the option, of the context, or "default".
Result<std::string> find_namespace(const WhatIfOptions& options) {
    if (!options.ns.empty()) {
        return options.ns;
    }
    if (!options.source.files.empty()) {
        return std::string("default");
    }
    const auto server = find_server(options.source);
    if (!server) {
        return server.error();
    }
    return server->namespace_.empty() ? std::string("default") : server->namespace_;
}

Result<AskedChange> read_jobs(const WhatIfOptions& options) {
    auto manifests = read_manifests(options.files);
    if (!manifests) {
        return manifests.error();
    }
    AskedChange change;
    change.copies = options.count;
    for (auto& manifest : *manifests) {
        change.jobs.push_back(std::move(manifest.object));
    }
    return change;
}

template <class T>
void add_objects(const Objects<T>& objects, AskedChange& change) {
    for (const T& object : objects) {
        change.objects.push_back(api::to_value(object));
    }
}

/// Reads the objects in the order in which they refer to each other.
Result<AskedChange> read_objects_to_apply(const WhatIfOptions& options) {
    const auto files = read_input_files(options.files);
    if (!files) {
        return files.error();
    }
    const ScheduleInput input = read_input(*files);
    for (const auto& warning : input.warnings) {
        report_line("warning", warning);
    }
    for (const auto& note : input.notes) {
        report_line("note", note);
    }
    if (!input.problems.empty()) {
        return make_invalid(fmt::format("{}", fmt::join(input.problems, "; ")));
    }
    AskedChange change;
    add_objects(input.cluster.topologies, change);
    add_objects(input.cluster.flavors, change);
    add_objects(input.cluster.admission_checks, change);
    add_objects(input.cluster.cohorts, change);
    add_objects(input.cluster.cluster_queues, change);
    add_objects(input.cluster.local_queues, change);
    add_objects(input.cluster.workloads, change);
    return change;
}

Result<AskedChange> read_quotas(const WhatIfOptions& options) {
    auto edits = parse_quota_edits(options.arguments);
    if (!edits) {
        return edits.error();
    }
    AskedChange change;
    change.edits = *std::move(edits);
    return change;
}

Result<AskedChange> read_cancelled(const WhatIfOptions& options, const std::string& ns) {
    AskedChange change;
    for (const auto& argument : options.arguments) {
        auto named = parse_named_workload(argument, ns);
        if (!named) {
            return named.error();
        }
        change.cancelled.push_back(*std::move(named));
    }
    return change;
}

Result<AskedChange> read_priorities(const WhatIfOptions& options, const std::string& ns) {
    AskedChange change;
    for (const std::string& argument : options.arguments) {
        const std::size_t equals = argument.rfind('=');
        if (equals == std::string::npos) {
            return make_invalid(
                fmt::format("\"{}\" must be KIND/NAMESPACE/NAME=WORKLOADPRIORITYCLASS", argument)
            );
        }
        auto named = parse_named_workload(argument.substr(0, equals), ns);
        if (!named) {
            return named.error();
        }
        change.priorities.emplace_back(*std::move(named), argument.substr(equals + 1));
    }
    return change;
}

using ReadChange =
    std::function<Result<AskedChange>(const WhatIfOptions& options, const std::string& ns)>;

/// Adds a subcommand with the options that all have.
CLI::App* add_change(
    CLI::App& command,
    const char* name,
    const char* description,
    const std::shared_ptr<WhatIfOptions>& options,
    int& exit_code,
    ReadChange read
) {
    auto* change = command.add_subcommand(name, description);
    change->footer(kDescription);
    add_source_options(*change, options->source, "--cluster");
    change->add_option(
        "-n,--namespace", options->ns, "Namespace of jobs that name none (default: the context's)"
    );
    change->add_flag("--utc", options->utc, "Print times in UTC (default: local time)");
    change->add_option("-o,--output", options->output, "Output format: text, json or yaml")
        ->check(CLI::IsMember({"text", "json", "yaml"}))
        ->capture_default_str();
    change->callback([options, &exit_code, read = std::move(read)] {
        const auto ns = find_namespace(*options);
        const auto asked = ns ? read(*options, *ns) : Result<AskedChange>(ns.error());
        if (!asked) {
            report_line("error", asked.error().detail);
            exit_code = kFailed;
            return;
        }
        exit_code = run(*options, *asked, *ns);
    });
    return change;
}

}  // namespace

void add_whatif(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<WhatIfOptions>();
    auto* command = program.add_subcommand("whatif", "Show what a change would start and evict");
    command->footer(kDescription);
    command->require_subcommand(1);
    const auto files_only = [](auto read) {
        return [read](const WhatIfOptions& given, const std::string&) { return read(given); };
    };
    auto* submit = add_change(
        *command, "submit", "A job is created", options, exit_code, files_only(read_jobs)
    );
    submit->add_option("-f,--filename", options->files, "Files with jobs; - for standard input")
        ->required();
    submit->add_option("--count", options->count, "Number of copies")
        ->check(CLI::Range(1, insight::kCopiesMax))
        ->capture_default_str();
    auto* quota = add_change(
        *command, "quota", "Nominal quotas change", options, exit_code, files_only(read_quotas)
    );
    quota
        ->add_option(
            "quotas", options->arguments, "clusterqueue/NAME or cohort/NAME, then its quotas"
        )
        ->required();
    auto* cancel =
        add_change(*command, "cancel", "Jobs are deleted", options, exit_code, read_cancelled);
    cancel->add_option("workloads", options->arguments, "KIND/NAMESPACE/NAME")->required();
    auto* priority = add_change(
        *command, "priority", "Jobs get another priority", options, exit_code, read_priorities
    );
    priority->add_option("workloads", options->arguments, "KIND/NAMESPACE/NAME=CLASS")->required();
    auto* apply = add_change(
        *command,
        "apply",
        "Objects of kueue.x-k8s.io are applied",
        options,
        exit_code,
        files_only(read_objects_to_apply)
    );
    apply->add_option("-f,--filename", options->files, "Files or folders; - for standard input")
        ->required();
}

}  // namespace sluice::commands
