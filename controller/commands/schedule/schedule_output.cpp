#include "controller/commands/schedule/schedule_output.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/codec.hpp"
#include "controller/commands/schedule/table.hpp"
#include "json/value.hpp"
#include "yaml/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::commands {
namespace {

using json::Array;
using json::Object;
using json::Value;

Value strings(const std::vector<std::string>& texts) {
    return Array(texts.begin(), texts.end());
}

Value to_value(const workload::Constraint& constraint) {
    Value made{Object{}};
    const std::array<std::pair<std::string_view, const std::string*>, 11> texts{{
        {"podSet", &constraint.pod_set},
        {"resource", &constraint.resource},
        {"flavor", &constraint.flavor},
        {"node", &constraint.node},
        {"kind", &constraint.kind},
        {"needed", &constraint.needed},
        {"free", &constraint.free},
        {"limit", &constraint.limit},
        {"nominal", &constraint.nominal},
        {"borrowed", &constraint.borrowed},
        {"reclaimWithinCohort", &constraint.reclaim},
    }};
    for (const auto& [name, text] : texts) {
        if (!text->empty()) {
            made.set(name, *text);
        }
    }
    if (!constraint.holders.empty()) {
        Array holders;
        for (const auto& holder : constraint.holders) {
            Value entry{Object{{"workload", holder.workload}, {"priority", holder.priority}}};
            if (!holder.amount.empty()) {
                entry.set("amount", holder.amount);
            }
            if (holder.evicted) {
                entry.set("evicted", true);
            }
            if (holder.reserved) {
                entry.set("reserved", true);
            }
            holders.push_back(std::move(entry));
        }
        made.set("holders", std::move(holders));
    }
    made.set("remedies", strings(constraint.remedies));
    if (constraint.passed_over) {
        made.set("passedOver", true);
    }
    return made;
}

/// Writes each topology out, domain by domain.
Value admission_value(const api::Admission& admission) {
    Value made = api::to_value(admission);
    Value* assignments = made.find("podSetAssignments");
    for (std::size_t i = 0; i < admission.pod_set_assignments.size(); ++i) {
        const auto& topology = admission.pod_set_assignments[i].topology_assignment;
        if (topology && assignments != nullptr) {
            Value& assignment = assignments->as_array()[i];
            assignment.set("topologyAssignment", api::make_domains(api::decode(*topology)));
        }
    }
    return made;
}

Value to_value(const AdmittedWorkload& entry) {
    return Object{
        {"workload", entry.workload},
        {"clusterQueue", entry.cluster_queue},
        {"admission", admission_value(entry.admission)},
        {"borrows", entry.borrows},
    };
}

Value to_value(const PreemptedWorkload& entry) {
    return Object{
        {"workload", entry.workload},
        {"clusterQueue", entry.cluster_queue},
        {"reason", entry.reason},
        {"preemptor", entry.preemptor},
    };
}

Value to_value(const RefusedWorkload& entry) {
    Array constraints;
    for (const auto& constraint : entry.constraints) {
        constraints.push_back(to_value(constraint));
    }
    return Object{
        {"workload", entry.workload},
        {"clusterQueue", entry.cluster_queue},
        {"reason", entry.reason},
        {"message", entry.message},
        {"requeued", entry.requeued},
        {"explanation", Object{{"constraints", std::move(constraints)}}},
    };
}

Value to_value(const SecondPassWorkload& entry) {
    Value made{Object{
        {"workload", entry.workload},
        {"clusterQueue", entry.cluster_queue},
        {"result", entry.result},
        {"reason", entry.reason},
        {"message", entry.message},
    }};
    if (entry.admission) {
        made.set("admission", admission_value(*entry.admission));
    }
    return made;
}

template <class Entry>
Value list(const std::vector<Entry>& entries) {
    Array made;
    for (const auto& entry : entries) {
        made.push_back(to_value(entry));
    }
    return made;
}

Value to_value(const std::map<std::string, std::vector<std::string>>& queues) {
    Value made{Object{}};
    for (const auto& [name, workloads] : queues) {
        made.set(name, strings(workloads));
    }
    return made;
}

Value to_value(const ScheduleReport& report) {
    Array cycles;
    for (const auto& cycle : report.cycles) {
        Value made{Object{
            {"cycle", static_cast<std::int64_t>(cycle.cycle)},
            {"admitted", list(cycle.admitted)},
            {"preempted", list(cycle.preempted)},
            {"notAdmitted", list(cycle.refused)},
        }};
        if (!cycle.second_passes.empty()) {
            made.set("secondPass", list(cycle.second_passes));
        }
        cycles.push_back(std::move(made));
    }
    return Object{
        {"cycles", std::move(cycles)},
        {"active", to_value(report.queues.active)},
        {"inadmissible", to_value(report.queues.inadmissible)},
    };
}

/// Returns, for example, " on node-1 x2, node-2"; empty without a topology.
std::string topology_text(const api::PodSetAssignment& pod_set) {
    constexpr std::size_t kMost = 8;
    if (!pod_set.topology_assignment) {
        return pod_set.delayed_topology_request == "Pending" ? " (its topology comes later)" : "";
    }
    const auto domains = api::decode(*pod_set.topology_assignment).domains;
    std::vector<std::string> texts;
    for (const auto& domain : domains) {
        if (texts.size() == kMost) {
            texts.push_back(fmt::format("{} more", domains.size() - kMost));
            break;
        }
        texts.push_back(fmt::format(
            "{}{}",
            fmt::join(domain.values, "/"),
            domain.count == 1 ? "" : fmt::format(" x{}", domain.count)
        ));
    }
    return texts.empty() ? " on no node" : fmt::format(" on {}", fmt::join(texts, ", "));
}

std::string topologies_text(const api::Admission& admission) {
    std::vector<std::string> texts;
    texts.reserve(admission.pod_set_assignments.size());
    for (const auto& pod_set : admission.pod_set_assignments) {
        texts.push_back(
            fmt::format("{} x{}{}", pod_set.name, pod_set.count.value_or(0), topology_text(pod_set))
        );
    }
    return fmt::format("{}", fmt::join(texts, "; "));
}

/// Returns, for example, "main x3 of 5: cpu=1 (default), memory=2Gi (default)".
std::string assignment_text(const AdmittedWorkload& entry) {
    std::vector<std::string> pod_sets;
    for (std::size_t i = 0; i < entry.admission.pod_set_assignments.size(); ++i) {
        const auto& pod_set = entry.admission.pod_set_assignments[i];
        std::vector<std::string> resources;
        for (const auto& [resource, quantity] : pod_set.resource_usage) {
            const auto flavor = pod_set.flavors.find(resource);
            resources.push_back(fmt::format(
                "{}={} ({})",
                resource,
                quantity.to_string(),
                flavor == pod_set.flavors.end() ? "" : flavor->second
            ));
        }
        const std::int32_t count = pod_set.count.value_or(0);
        pod_sets.push_back(fmt::format(
            "{} x{}{}: {}{}",
            pod_set.name,
            count,
            count < entry.pods[i] ? fmt::format(" of {}", entry.pods[i]) : "",
            fmt::join(resources, ", "),
            topology_text(pod_set)
        ));
    }
    return fmt::format("{}", fmt::join(pod_sets, "; "));
}

std::string cycle_table(const CycleReport& cycle) {
    std::vector<TableRow> rows{{"OUTCOME", "WORKLOAD", "CLUSTERQUEUE", "REASON", "DETAILS"}};
    for (const auto& entry : cycle.admitted) {
        const auto* reason = entry.borrows ? "borrows" : "";
        rows.push_back(
            {"admitted", entry.workload, entry.cluster_queue, reason, assignment_text(entry)}
        );
    }
    for (const auto& entry : cycle.preempted) {
        rows.push_back(
            {"preempted",
             entry.workload,
             entry.cluster_queue,
             entry.reason,
             "for " + entry.preemptor}
        );
    }
    for (const auto& entry : cycle.second_passes) {
        rows.push_back(
            {entry.result,
             entry.workload,
             entry.cluster_queue,
             entry.reason,
             entry.admission ? topologies_text(*entry.admission) : entry.message}
        );
    }
    for (const auto& entry : cycle.refused) {
        const std::string outcome = entry.requeued == "active" ? "retries"
                                    : entry.requeued.empty()   ? "dropped"
                                                               : "waits";
        rows.push_back(
            {outcome,
             entry.workload,
             entry.cluster_queue,
             // The controller uses this reason, too.
             entry.reason.empty() ? api::reason::kNoMatchingFlavor : entry.reason,
             entry.words.empty() ? entry.message : entry.words}
        );
    }
    return fmt::format("Cycle {}\n{}", cycle.cycle, print_table(std::move(rows)));
}

/// Returns a table of the pending workloads by ClusterQueue; empty without any.
std::string queues_table(const ScheduleReport& report) {
    std::vector<TableRow> rows{{"CLUSTERQUEUE", "PENDING", "WORKLOADS"}};
    const auto add = [&](const auto& queues, const std::string& state) {
        for (const auto& [name, workloads] : queues) {
            rows.push_back(
                {name,
                 report.inactive.contains(name) ? "inactive" : state,
                 fmt::format("{}", fmt::join(workloads, ", "))}
            );
        }
    };
    add(report.queues.active, "active");
    add(report.queues.inadmissible, "inadmissible");
    return rows.size() > 1 ? "\nQueues\n" + print_table(std::move(rows)) : "";
}

std::string waiting_table(const ScheduleReport& report) {
    std::vector<TableRow> rows{{"WORKLOAD", "CLUSTERQUEUE", "REASON", "DETAILS"}};
    for (const auto& waiting : report.waiting) {
        for (const auto& workload : waiting.workloads) {
            rows.push_back({workload, waiting.cluster_queue, waiting.reason, waiting.details});
        }
    }
    return rows.size() > 1 ? "\nAlso waiting\n" + print_table(std::move(rows)) : "";
}

std::string inactive_table(const ScheduleReport& report) {
    std::vector<TableRow> rows{{"CLUSTERQUEUE", "REASON", "DETAILS"}};
    for (const auto& [name, activity] : report.inactive) {
        rows.push_back({name, activity.reason, activity.message});
    }
    return rows.size() > 1 ? "\nInactive ClusterQueues\n" + print_table(std::move(rows)) : "";
}

}  // namespace

std::string to_json(const ScheduleReport& report) {
    return json::print_sorted(to_value(report)) + "\n";
}

std::string to_yaml(const ScheduleReport& report) {
    return yaml::print(to_value(report));
}

std::string to_table(const ScheduleReport& report) {
    std::string text;
    for (const auto& cycle : report.cycles) {
        text += "\n" + cycle_table(cycle);
    }
    const std::string pending = queues_table(report) + waiting_table(report);
    const std::string nothing = report.skipped == 0 ? "nothing waits" : "no valid workload waits";
    text += pending.empty() ? "\nQueues\n" + nothing + "\n" : pending;
    text += inactive_table(report);
    if (report.skipped > 0) {
        text += fmt::format(
            "\nSkipped, so in no table: {} bad {}\n",
            report.skipped,
            report.skipped == 1 ? "object" : "objects"
        );
    }
    return text.substr(1);
}

std::vector<std::string> waiting_notes(const ScheduleReport& report) {
    constexpr std::size_t kNotesMax = 20;
    std::vector<std::string> notes;
    notes.reserve(report.inactive.size());
    for (const auto& [name, activity] : report.inactive) {
        notes.push_back(fmt::format(
            "ClusterQueue {} is inactive, {}: {}", name, activity.reason, activity.message
        ));
    }
    for (const auto& waiting : report.waiting) {
        if (waiting.is_only_turn) {
            continue;
        }
        const std::size_t others = waiting.workloads.size() - 1;
        notes.push_back(fmt::format(
            "{} {}, {}: {}",
            waiting.workloads.front(),
            others == 0 ? "waits" : fmt::format("and {} more wait", others),
            waiting.reason,
            waiting.details
        ));
    }
    if (notes.size() > kNotesMax) {
        const std::size_t more = notes.size() - kNotesMax;
        notes.resize(kNotesMax);
        notes.push_back(fmt::format("{} more such notes; -o table shows all", more));
    }
    return notes;
}

}  // namespace sluice::commands
