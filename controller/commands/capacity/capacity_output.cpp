#include "controller/commands/capacity/capacity_output.hpp"

#include "controller/commands/schedule/table.hpp"
#include "json/value.hpp"
#include "workload/capacity/capacity_words.hpp"
#include "workload/pods/amounts.hpp"
#include "yaml/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>
#include <vector>

namespace sluice::commands {
namespace {

using engine::Amount;
using json::Array;
using json::Object;
using json::Value;

/// Returns the last part of a label: "rack" for cloud.example.com/rack.
std::string short_level(const std::string& label) {
    return label.empty() ? "flavor" : label.substr(label.rfind('/') + 1);
}

std::string gangs_text(const workload::FlavorCapacity& capacity) {
    std::vector<std::string> texts;
    texts.reserve(capacity.gangs.size());
    for (const auto& gang : capacity.gangs) {
        texts.push_back(fmt::format("{} {}", short_level(gang.level), gang.pods));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns the part of the free amount that is not on whole nodes, in percent.
std::int64_t fragmented_percent(const workload::FlavorCapacity& capacity) {
    const auto free = static_cast<double>(capacity.free.value());
    const auto fragmented = static_cast<double>(capacity.fragmented.value());
    return free <= 0 ? 0 : std::llround(fragmented / free * 100);
}

std::string flavors_table(const workload::CapacityReport& report) {
    std::vector<TableRow> rows{
        {"FLAVOR",
         "RESOURCE",
         "QUOTA",
         "NODES",
         "USABLE",
         "FOREIGN",
         "USED",
         "FREE",
         "LARGEST FREE",
         "LARGEST GANG",
         "FRAGMENTED",
         "VERDICT"}
    };
    for (const auto& entry : report.flavors) {
        const auto text = [&](Amount amount) { return workload::to_text(entry.resource, amount); };
        rows.push_back(
            {entry.flavor,
             entry.resource,
             text(entry.quota),
             text(entry.nodes),
             text(entry.usable),
             text(entry.foreign),
             text(entry.used),
             text(entry.free),
             text(entry.largest_free),
             gangs_text(entry),
             fmt::format("{} %", fragmented_percent(entry)),
             workload::verdict_of(entry)}
        );
    }
    return print_table(std::move(rows));
}

std::string excesses_table(const workload::CapacityReport& report) {
    std::vector<TableRow> rows{{"QUEUE", "RESOURCE", "DETAILS"}};
    for (const auto& excess : report.excesses) {
        rows.push_back(
            {(excess.is_cohort ? "cohort/" : "clusterQueue/") + excess.name,
             excess.resource,
             workload::excess_words(excess)}
        );
    }
    return rows.size() == 1 ? ""
                            : "\nMore quota than nodes can give\n" + print_table(std::move(rows));
}

std::string unplaceable_table(const workload::CapacityReport& report) {
    std::vector<TableRow> rows{{"WORKLOAD", "CLUSTERQUEUE", "STATE", "PODSET", "DETAILS"}};
    for (const auto& pods : report.unplaceable) {
        rows.push_back(
            {pods.workload,
             pods.cluster_queue,
             pods.is_admitted ? "admitted" : "pending",
             pods.pod_set,
             workload::unplaceable_words(pods)}
        );
    }
    return rows.size() == 1 ? "" : "\nPods without room on nodes\n" + print_table(std::move(rows));
}

Value amounts_value(const workload::Amounts& amounts) {
    Value made{Object{}};
    for (const auto& [resource, amount] : amounts) {
        made.set(resource, workload::to_text(resource, amount));
    }
    return made;
}

Value flavor_value(const workload::FlavorCapacity& entry) {
    const auto text = [&](Amount amount) { return workload::to_text(entry.resource, amount); };
    Array gangs;
    for (const auto& gang : entry.gangs) {
        gangs.push_back(Object{{"level", gang.level}, {"domain", gang.domain}, {"pods", gang.pods}}
        );
    }
    Array losses;
    for (const auto& loss : entry.losses) {
        losses.push_back(
            Object{{"amount", text(loss.amount)}, {"node", loss.node}, {"reason", loss.reason}}
        );
    }
    return Object{
        {"flavor", entry.flavor},
        {"resource", entry.resource},
        {"quota", text(entry.quota)},
        {"nodes", text(entry.nodes)},
        {"usable", text(entry.usable)},
        {"foreign", text(entry.foreign)},
        {"used", text(entry.used)},
        {"free", text(entry.free)},
        {"largestFree", text(entry.largest_free)},
        {"largestGangs", std::move(gangs)},
        {"fragmentedPercent", fragmented_percent(entry)},
        {"missing", text(entry.missing())},
        {"nodesThatMayCome", entry.may_come},
        {"losses", std::move(losses)},
        {"sameNodesAs", Array(entry.shares_with.begin(), entry.shares_with.end())},
        {"verdict", workload::verdict_of(entry)},
    };
}

Value report_value(const workload::CapacityReport& report) {
    Array flavors;
    for (const auto& entry : report.flavors) {
        flavors.push_back(flavor_value(entry));
    }
    Array excesses;
    for (const auto& excess : report.excesses) {
        excesses.push_back(Object{
            {"node", (excess.is_cohort ? "cohort/" : "clusterQueue/") + excess.name},
            {"flavor", excess.flavor},
            {"resource", excess.resource},
            {"quota", workload::to_text(excess.resource, excess.quota)},
            {"usable", workload::to_text(excess.resource, excess.usable)},
        });
    }
    Array unplaceable;
    for (const auto& pods : report.unplaceable) {
        unplaceable.push_back(Object{
            {"workload", pods.workload},
            {"clusterQueue", pods.cluster_queue},
            {"podSet", pods.pod_set},
            {"admitted", pods.is_admitted},
            {"pods", pods.pods},
            {"request", amounts_value(pods.request)},
            {"fit", pods.fit},
            {"couldFit", pods.could},
            {"message", workload::unplaceable_words(pods)},
        });
    }
    return Object{
        {"flavors", std::move(flavors)},
        {"quotaBeyondNodes", std::move(excesses)},
        {"podsWithoutRoom", std::move(unplaceable)},
    };
}

}  // namespace

std::string to_table(const workload::CapacityReport& report) {
    if (report.flavors.empty()) {
        return "no queue has quota of a flavor that exists\n";
    }
    return flavors_table(report) + excesses_table(report) + unplaceable_table(report);
}

std::string to_json(const workload::CapacityReport& report) {
    return json::print_sorted(report_value(report)) + "\n";
}

std::string to_yaml(const workload::CapacityReport& report) {
    return yaml::print(report_value(report));
}

}  // namespace sluice::commands
