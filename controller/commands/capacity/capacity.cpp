#include "controller/commands/capacity/capacity.hpp"

#include "controller/commands/capacity/capacity_output.hpp"
#include "controller/commands/controller/connection.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/live_objects.hpp"
#include "controller/commands/schedule/input_files.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/schedule/schedule_input.hpp"
#include "workload/capacity/flavor_growth.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr int kFailed = 2;

struct CapacityOptions {
    std::vector<std::string> files;
    std::string kubeconfig;
    std::string context;
    std::string pod;
    std::string output = "table";
};

constexpr const char* kDescription =
    R"(Compare quota with the resources that the nodes of each flavor really have. With -f, on
objects from files, as `kubectl get -o yaml` prints them: Node, Pod, ResourceFlavor, Topology,
Cohort, ClusterQueue, LocalQueue and Workload. Without, on the cluster of the kubeconfig, which is
only read.

  QUOTA         nominal quota of all queues and cohorts
  NODES         allocatable resources of the nodes that match the flavor's nodeLabels
  USABLE        of these, on nodes that are Ready, not cordoned, and without a taint that pods of
                the flavor do not tolerate
  FOREIGN       requests there of pods outside quota
  USED          quota that Workloads hold
  FREE          USABLE less all pods there and those that are admitted and have no node yet
  LARGEST FREE  on one node
  LARGEST GANG  how many pods of a gang fit now in one domain of each level of the topology;
                "flavor" means on all nodes. Each pod takes all of a node that pods of DaemonSets
                leave, or requests the amounts of --pod
  FRAGMENTED    the part of FREE on nodes that other pods use too
  VERDICT       the quota that no node has, and where it is lost

Pods of a flavor tolerate its taints, those that its tolerations name, and the taint that is named
like an extended resource of the node (admission plugin ExtendedResourceToleration).

Then: queues and cohorts with more quota than nodes can give, and workloads whose pods do not all
find room, whole pods on single nodes. Without Pods in the input, admitted workloads are placed on
nodes as tightly as they fit.

A flavor that an autoscaler gives nodes says how many it may have, and what one is like:
  sluice.dev/may-grow-to: "4"
  sluice.dev/node-shape: cpu=96,memory=1Ti,nvidia.com/gpu=8   (default: its largest node)

Exit code: 0; 2 if an object, an option or an annotation is bad or the cluster cannot be read; 1 if
the output cannot be written.)";

int fail_with(std::string_view text) {
    report_line("error", text);
    return kFailed;
}

/// Returns nullopt after an error.
std::optional<ScheduleCluster> read_objects(const CapacityOptions& options) {
    if (options.files.empty()) {
        const auto connection = load_connection(options.kubeconfig, options.context);
        Result<LiveObjects> objects = make_invalid("nothing was read");
        const auto read = [&objects](kube::Client* client) {
            return store_result(&objects, read_live_objects(client, LiveKinds::Capacity));
        };
        const auto called =
            connection ? with_client(connection->config, read) : Result<void>(connection.error());
        if (!called || !objects) {
            report_line("error", called ? objects.error().detail : called.error().detail);
            return std::nullopt;
        }
        return std::move(objects->cluster);
    }
    const auto files = read_input_files(options.files);
    if (!files) {
        report_line("error", files.error().detail);
        return std::nullopt;
    }
    ScheduleInput input = read_input(*files);
    for (const auto& warning : input.warnings) {
        report_line("warning", warning);
    }
    for (const auto& problem : input.problems) {
        report_line("error", problem);
    }
    return input.problems.empty() ? std::optional(std::move(input.cluster)) : std::nullopt;
}

template <class T>
std::vector<const T*> pointers(const Objects<T>& objects) {
    std::vector<const T*> made;
    made.reserve(objects.size());
    for (const T& object : objects) {
        made.push_back(&object);
    }
    return made;
}

int run_capacity(const CapacityOptions& options) {
    std::optional<workload::Amounts> gang_pod;
    if (!options.pod.empty()) {
        const auto amounts = workload::parse_amounts(options.pod);
        if (!amounts) {
            return fail_with("--pod: " + amounts.error().detail);
        }
        gang_pod = workload::to_amounts(*amounts);
    }
    const auto cluster = read_objects(options);
    if (!cluster) {
        return kFailed;
    }
    const auto report = workload::make_capacity_report({
        .flavors = pointers(cluster->flavors),
        .topologies = pointers(cluster->topologies),
        .nodes = pointers(cluster->nodes),
        .pods = pointers(cluster->pods),
        .cluster_queues = pointers(cluster->cluster_queues),
        .cohorts = pointers(cluster->cohorts),
        .local_queues = pointers(cluster->local_queues),
        .workloads = pointers(cluster->workloads),
        .gang_pod = std::move(gang_pod),
        .counts_gangs = true,
        .known_resources = {},
    });
    for (const auto& fault : report.faults) {
        report_line("error", fault);
    }
    const std::string text = options.output == "yaml"   ? to_yaml(report)
                             : options.output == "json" ? to_json(report)
                                                        : to_table(report);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return report.faults.empty() ? 0 : kFailed;
}

}  // namespace

void add_capacity(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<CapacityOptions>();
    auto* command = program.add_subcommand("capacity", "Compare quota with what nodes really have");
    command->footer(kDescription);
    auto* files = command->add_option(
        "-f,--filename",
        options->files,
        "Files with objects, or folders of such files; - for standard input"
    );
    command->add_option("--kubeconfig", options->kubeconfig, "Kubeconfig of the cluster")
        ->excludes(files);
    command
        ->add_option(
            "--context",
            options->context,
            "Context of the kubeconfig (default: its current-context)"
        )
        ->excludes(files);
    command->add_option(
        "--pod", options->pod, "Requests of a pod of LARGEST GANG, such as nvidia.com/gpu=4,cpu=8"
    );
    command->add_option("-o,--output", options->output, "Output format: table, json or yaml")
        ->check(CLI::IsMember({"json", "yaml", "table"}))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_capacity(*options); });
}

}  // namespace sluice::commands
