#include "controller/commands/queue/queue.hpp"

#include "api/meta/codec.hpp"
#include "controller/commands/offline/changing_output.hpp"
#include "controller/commands/queue/listed_workloads.hpp"
#include "controller/commands/queue/queue_output.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "yaml/print.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kFailed = 2;
constexpr Duration kFollowPeriod = std::chrono::seconds(2);

struct QueueOptions {
    SourceOptions source;
    QueueSelection selection;
    std::string fields;
    std::string sort = "position";
    std::string output = "table";
    bool all_namespaces = false;
    bool order = false;
    bool follow = false;
};

constexpr const char* kDescription =
    R"(List workloads: those with quota, then those that wait in the order of their ClusterQueues,
and what each waits for. Slurm's squeue, and with --order its sprio. Nothing is changed.

  POS       position among the pending workloads of the ClusterQueue
  NEEDS     the total of an extended resource such as nvidia.com/gpu, else of the first resource
  STATE     Running (admitted), Reserved (has quota, waits for admission checks), Evicting, Pending,
            or Held back (no queue tries it: stopped, gated, deactivated, a missing queue)
  FOR       time in this state
  WHY       the obstacle that binds first; sluice why JOB has the whole answer
with --order, the keys that order a ClusterQueue, the first that differs decides:
  PREEMPTOR   others are being evicted for it: it goes first
  FAIR USAGE  past usage of its LocalQueue, if admission fair sharing orders the ClusterQueue
  PRIORITY    the highest first; BOOST is the part that its annotation adds
  SINCE       its creation, or the eviction that moved it to the back

The controller answers; with --offline or without it, the command reads the objects that you may
list, and works the answer out with the same engine. A user who may not list the Workloads of other
namespaces gets right answers from the controller alone.

Exit code: 0; 2 if an option or an object is bad, or the cluster cannot be read.)";

/// Sets the selection by "clusterQueue=NAME,localQueue=NAME,state=STATE".
Result<void> set_fields(std::string_view text, QueueSelection& selection) {
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        const std::string_view field = one.substr(0, equals);
        std::string* into = field == "clusterQueue" ? &selection.cluster_queue
                            : field == "localQueue" ? &selection.local_queue
                            : field == "state"      ? &selection.state
                                                    : nullptr;
        if (into == nullptr || equals == std::string_view::npos) {
            return make_invalid(fmt::format(
                "--field-selector: \"{}\" is not clusterQueue=, localQueue= or state=", one
            ));
        }
        *into = one.substr(equals + 1);
    }
    return {};
}

std::string print_rows(const QueueOptions& options, std::vector<api::Explanation> rows) {
    if (options.output == "name") {
        std::string text;
        for (const auto& row : rows) {
            text += fmt::format("{}/{}\n", row.metadata.namespace_, row.metadata.name);
        }
        return text;
    }
    if (options.output == "json" || options.output == "yaml") {
        api::ExplanationList list;
        list.items = std::move(rows);
        return options.output == "json" ? api::encode(list) + "\n"
                                        : yaml::print(api::to_value(list));
    }
    return print_queue(
        rows,
        {.ns = options.selection.ns.empty(),
         .order = options.order,
         .wide = options.output == "wide"}
    );
}

Result<std::string> answer_once(const QueueOptions& options) {
    auto listed = list_explained(options.source, options.selection);
    if (!listed) {
        return listed.error();
    }
    for (const auto& remark : listed->remarks) {
        report_line("note", remark);
    }
    sort_queue(listed->rows, options.sort);
    return print_rows(options, std::move(listed->rows));
}

int run_queue(QueueOptions options) {
    if (auto set = set_fields(options.fields, options.selection); !set) {
        report_line("error", set.error().detail);
        return kFailed;
    }
    if (options.selection.ns.empty() && !options.all_namespaces) {
        const auto server = options.source.files.empty()
                                ? find_server(options.source)
                                : Result<kube::ClientConfig>(kube::ClientConfig{});
        if (!server) {
            report_line("error", server.error().detail);
            return kFailed;
        }
        options.selection.ns = server->namespace_.empty() ? "default" : server->namespace_;
    }
    return print_changes(options.follow ? std::optional(kFollowPeriod) : std::nullopt, [&] {
        return answer_once(options);
    });
}

}  // namespace

void add_queue(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<QueueOptions>();
    auto* command = program.add_subcommand("queue", "List workloads and what they wait for");
    command->footer(kDescription);
    auto* ns = command->add_option(
        "-n,--namespace", options->selection.ns, "Namespace (default: that of the context)"
    );
    command->add_flag("-A,--all-namespaces", options->all_namespaces, "Workloads of all namespaces")
        ->excludes(ns);
    add_source_options(*command, options->source);
    auto* files = command->get_option("--filename");
    command
        ->add_option("-l,--selector", options->selection.label_selector, "Labels of the Workloads")
        ->excludes(files);
    command->add_option(
        "--field-selector", options->fields, "clusterQueue=NAME, localQueue=NAME, state=STATE"
    );
    command->add_option("--sort", options->sort, "position, age or priority")
        ->check(CLI::IsMember({"position", "age", "priority"}))
        ->capture_default_str();
    command->add_flag("--order", options->order, "Add the keys that order a ClusterQueue");
    command->add_flag(
        "--finished", options->selection.with_finished, "List finished workloads too"
    );
    command->add_flag("-w,--watch", options->follow, "Print the table again when it changes")
        ->excludes(files);
    command->add_option("-o,--output", options->output, "table, wide, name, json or yaml")
        ->check(CLI::IsMember({"table", "wide", "name", "json", "yaml"}))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_queue(*options); });
}

}  // namespace sluice::commands
