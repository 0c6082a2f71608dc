#include "controller/commands/queue/queue_output.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/micro_time.hpp"
#include "api/meta/quantity.hpp"
#include "controller/commands/offline/age.hpp"
#include "controller/commands/schedule/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace sluice::commands {
namespace {

namespace condition = api::condition;
namespace state = api::explanation_state;

/// The order of states in the table, with their words.
constexpr std::array<std::pair<std::string_view, const char*>, 6> kStates{{
    {condition::kAdmitted, "Running"},
    {state::kReserved, "Reserved"},
    {condition::kEvicted, "Evicting"},
    {state::kPending, "Pending"},
    {state::kHeldBack, "Held back"},
    {condition::kFinished, "Ended"},
}};

std::size_t rank_of(const api::Explanation& row) {
    const auto at = std::ranges::find(kStates, row.state, [](const auto& entry) {
        return std::string(entry.first);
    });
    return static_cast<std::size_t>(at - kStates.begin());
}

std::string word_of(const api::Explanation& row) {
    const std::size_t rank = rank_of(row);
    return rank < kStates.size() ? kStates.at(rank).second : row.state;
}

std::string job_of(const api::Explanation& row) {
    if (!row.job) {
        return "workload/" + row.metadata.name;
    }
    std::string kind = row.job->kind;
    std::ranges::transform(kind, kind.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return kind + "/" + row.job->name;
}

/// Returns the total of an extended resource, or of the first resource if the pods request none.
std::string needs_of(const api::Explanation& row) {
    std::map<std::string, api::Quantity> totals;
    for (const auto& pod_set : row.pod_sets) {
        for (const auto& [resource, amount] : pod_set.total) {
            if (const auto quantity = api::Quantity::parse(amount)) {
                totals[resource] += *quantity;
            }
        }
    }
    const auto extended = std::ranges::find_if(totals, [](const auto& total) {
        return total.first.find('/') != std::string::npos;
    });
    const auto shown = extended != totals.end() ? extended : totals.begin();
    return shown == totals.end() ? "-"
                                 : fmt::format("{} {}", shown->second.to_string(), shown->first);
}

TableRow heads_of(const QueueColumns& columns) {
    TableRow heads{"POS"};
    if (columns.ns) {
        heads.emplace_back("NAMESPACE");
    }
    heads.insert(
        heads.end(), {"JOB", "LOCALQUEUE", "CLUSTERQUEUE", "PRIORITY", "NEEDS", "STATE", "FOR"}
    );
    if (columns.order) {
        heads.insert(heads.end(), {"PREEMPTOR", "FAIR USAGE", "BOOST", "SINCE"});
    }
    if (columns.wide) {
        heads.insert(heads.end(), {"WORKLOAD", "FLAVORS"});
    }
    heads.emplace_back("WHY");
    return heads;
}

TableRow row_of(const api::Explanation& row, const QueueColumns& columns) {
    TableRow made{row.position ? std::to_string(row.position->in_cluster_queue) : "-"};
    if (columns.ns) {
        made.push_back(row.metadata.namespace_);
    }
    made.insert(
        made.end(),
        {job_of(row),
         or_dash(row.local_queue),
         or_dash(row.cluster_queue),
         std::to_string(row.priority),
         needs_of(row),
         word_of(row),
         row.since ? print_age(row.as_of - *row.since) : "-"}
    );
    if (columns.order) {
        const auto& at = row.position;
        made.insert(
            made.end(),
            {at ? (at->preemptor ? "yes" : "no") : "-",
             at ? or_dash(at->fair_usage) : "-",
             at ? std::to_string(at->boost) : "-",
             at && at->ordered ? api::to_string(*at->ordered) : "-"}
        );
    }
    if (columns.wide) {
        made.push_back(row.metadata.name);
        made.push_back(row.flavors.empty() ? "-" : fmt::format("{}", fmt::join(row.flavors, ",")));
    }
    const bool runs = row.state == condition::kAdmitted;
    made.push_back(runs ? "-" : or_dash(row.summary));
    return made;
}

}  // namespace

void sort_queue(std::vector<api::Explanation>& rows, std::string_view by) {
    std::ranges::stable_sort(rows, [&](const api::Explanation& a, const api::Explanation& b) {
        if (by == "age" && a.since != b.since) {
            return a.since.value_or(Time::max()) < b.since.value_or(Time::max());
        }
        if (by == "priority" && a.priority != b.priority) {
            return a.priority > b.priority;
        }
        const auto key = [](const api::Explanation& row) {
            return std::tuple(
                rank_of(row),
                std::string_view(row.cluster_queue),
                row.position ? row.position->in_cluster_queue : 0,
                std::string_view(row.metadata.namespace_),
                std::string_view(row.metadata.name)
            );
        };
        return key(a) < key(b);
    });
}

std::string print_queue(const std::vector<api::Explanation>& rows, const QueueColumns& columns) {
    if (rows.empty()) {
        return "no workload\n";
    }
    std::vector<TableRow> table{heads_of(columns)};
    for (const auto& row : rows) {
        table.push_back(row_of(row, columns));
    }
    return print_table(std::move(table));
}

}  // namespace sluice::commands
