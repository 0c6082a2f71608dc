#include "controller/commands/top/top.hpp"

#include "controller/commands/offline/age.hpp"
#include "controller/commands/offline/changing_output.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/connection_options.hpp"
#include "controller/commands/offline/live_objects.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/schedule/table.hpp"
#include "controller/commands/top/queue_totals.hpp"
#include "json/value.hpp"
#include "yaml/print.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

constexpr Duration kFollowPeriod = std::chrono::seconds(2);

struct TopOptions {
    SourceOptions source;
    std::string cohort;
    std::string output = "table";
    bool follow = false;
};

constexpr const char* kDescription =
    R"(Show quota, use and waits of each ClusterQueue, over all flavors. Slurm's sinfo. Nothing is
changed.

  USED      quota that workloads hold (status.flavorsReservation)
  BORROWED  the part of USED beyond the nominal quota
  LENT      unused quota that others of the cohort may be using: at most what they borrow, and what
            lendingLimit lends
  PENDING   workloads that wait
  WAIT      from creation to the reservation of quota, of the workloads that still exist and got it
            in the last 24 hours: half of them, and 90 %, waited no longer

Exit code: 0; 2 if an option or an object is bad, or the cluster cannot be read.)";

struct Totals {
    std::vector<QueueTotals> queues;
    std::vector<std::string> remarks;
};

Result<Totals> find_all(const TopOptions& options) {
    LiveObjects objects;
    if (!options.source.files.empty()) {
        auto cluster = read_files(options.source);
        if (!cluster) {
            return cluster.error();
        }
        objects.cluster = *std::move(cluster);
    } else {
        const auto server = find_server(options.source);
        if (!server) {
            return server.error();
        }
        Result<LiveObjects> read = make_invalid("nothing was read");
        const auto called = with_client(*server, [&](kube::Client* client) {
            return store_result(&read, read_live_objects(client, LiveKinds::Queues));
        });
        if (!called || !read) {
            return called ? read.error() : called.error();
        }
        objects = *std::move(read);
    }
    const auto now = find_now(options.source);
    if (!now) {
        return now.error();
    }
    auto queues = find_totals(objects.cluster, *now, objects.left_out.empty());
    std::erase_if(queues, [&](const QueueTotals& queue) {
        return !options.cohort.empty() && queue.cohort != options.cohort;
    });
    return Totals{.queues = std::move(queues), .remarks = std::move(objects.left_out)};
}

std::string amount_or_dash(const api::Quantity& quantity) {
    return quantity.is_zero() ? "-" : quantity.to_string();
}

std::string print_waits(const QueueTotals& queue) {
    return !queue.waits || queue.waits->count == 0
               ? "-"
               : fmt::format("{} / {}", print_age(queue.waits->p50), print_age(queue.waits->p90));
}

std::string print_totals(const std::vector<QueueTotals>& queues) {
    std::vector<TableRow> rows{
        {"CLUSTERQUEUE",
         "COHORT",
         "RESOURCE",
         "USED",
         "NOMINAL",
         "BORROWED",
         "LENT",
         "PENDING",
         "WAIT P50 / P90 24H",
         ""}
    };
    for (const QueueTotals& queue : queues) {
        bool is_first = true;
        for (const ResourceTotals& resource : queue.resources) {
            rows.push_back(
                {is_first ? queue.name : "",
                 is_first ? or_dash(queue.cohort) : "",
                 resource.resource,
                 resource.used.to_string(),
                 resource.nominal.to_string(),
                 amount_or_dash(resource.borrowed),
                 amount_or_dash(resource.lent),
                 is_first ? std::to_string(queue.pending) : "",
                 is_first ? print_waits(queue) : "",
                 is_first && !queue.active ? "inactive" : ""}
            );
            is_first = false;
        }
    }
    return rows.size() == 1 ? "no ClusterQueue\n" : print_table(std::move(rows));
}

json::Value totals_value(const std::vector<QueueTotals>& queues) {
    const auto seconds = [](Duration duration) {
        return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
    };
    json::Array made;
    for (const QueueTotals& queue : queues) {
        json::Array resources;
        for (const ResourceTotals& resource : queue.resources) {
            resources.push_back(json::Object{
                {"resource", resource.resource},
                {"used", resource.used.to_string()},
                {"nominal", resource.nominal.to_string()},
                {"borrowed", resource.borrowed.to_string()},
                {"lent", resource.lent.to_string()},
            });
        }
        json::Value entry = json::Object{
            {"clusterQueue", queue.name},
            {"cohort", queue.cohort},
            {"active", queue.active},
            {"pending", queue.pending},
            {"resources", std::move(resources)},
        };
        if (queue.waits) {
            json::Value waits = json::Object{
                {"count", static_cast<std::int64_t>(queue.waits->count)},
                {"p50Seconds", seconds(queue.waits->p50)},
                {"p90Seconds", seconds(queue.waits->p90)},
            };
            entry.set("waits24h", std::move(waits));
        }
        made.push_back(std::move(entry));
    }
    return json::Object{{"clusterQueues", std::move(made)}};
}

Result<std::string> answer_with_totals(const TopOptions& options) {
    const auto totals = find_all(options);
    if (!totals) {
        return totals.error();
    }
    for (const auto& remark : totals->remarks) {
        report_line("note", remark);
    }
    return options.output == "json"   ? json::print(totals_value(totals->queues)) + "\n"
           : options.output == "yaml" ? yaml::print(totals_value(totals->queues))
                                      : print_totals(totals->queues);
}

int run_top(const TopOptions& options) {
    return print_changes(options.follow ? std::optional(kFollowPeriod) : std::nullopt, [&] {
        return answer_with_totals(options);
    });
}

}  // namespace

void add_top(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<TopOptions>();
    auto* command = program.add_subcommand("top", "Show quota, use and waits of ClusterQueues");
    command->footer(kDescription);
    add_source_options(*command, options->source);
    command->add_option("--cohort", options->cohort, "Only ClusterQueues of that cohort");
    command->add_flag("-w,--watch", options->follow, "Print the table again when it changes")
        ->excludes(command->get_option("--filename"));
    command->add_option("-o,--output", options->output, "Output format: table, json or yaml")
        ->check(CLI::IsMember({"table", "json", "yaml"}))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_top(*options); });
}

}  // namespace sluice::commands
