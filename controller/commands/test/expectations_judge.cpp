#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "base/printable.hpp"
#include "controller/commands/test/expectations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace sluice::commands {

namespace {

std::string name_of_workload(const apiserver::ObjectName& name) {
    return name.ns.empty() ? name.name : name.ns + "/" + name.name;
}

/// The part of a Workload that is compared.
struct Seen {
    JobState state = JobState::Missing;
    std::string cluster_queue{};
    std::string message{};
    bool is_preempted = false;
    std::vector<api::PodSetAssignment> pod_sets{};
};

const api::Condition* condition_of(const api::Workload& workload, std::string_view type) {
    const auto found = std::ranges::find(workload.status.conditions, type, &api::Condition::type_);
    return found == workload.status.conditions.end() ? nullptr : &*found;
}

bool is_condition_true(const api::Condition* condition) {
    return condition != nullptr && condition->status == "True";
}

bool was_preempted(const api::Workload& workload) {
    if (condition_of(workload, api::condition::kPreempted) != nullptr) {
        return true;
    }
    const auto& stats = workload.status.scheduling_stats;
    return stats && std::ranges::any_of(stats->evictions, [](const auto& eviction) {
               return eviction.reason == api::reason::kPreempted && eviction.count > 0;
           });
}

Seen look_at(const api::Workload& workload) {
    Seen seen;
    const api::Condition* condition = condition_of(workload, api::condition::kFinished);
    seen.state = JobState::Finished;
    if (!is_condition_true(condition)) {
        condition = condition_of(workload, api::condition::kAdmitted);
        seen.state = JobState::Admitted;
    }
    if (!is_condition_true(condition)) {
        condition = condition_of(workload, api::condition::kQuotaReserved);
        seen.state = is_condition_true(condition) ? JobState::QuotaReserved : JobState::Pending;
    }
    seen.message = condition == nullptr ? "" : condition->message;
    seen.is_preempted = was_preempted(workload);
    if (workload.status.admission) {
        seen.cluster_queue = workload.status.admission->cluster_queue;
        seen.pod_sets = workload.status.admission->pod_set_assignments;
    }
    return seen;
}

std::vector<std::pair<apiserver::ObjectName, api::Workload>> workloads_of(
    const apiserver::Store& store
) {
    std::vector<std::pair<apiserver::ObjectName, api::Workload>> all;
    for (const auto& [name, object] : store.objects({std::string(api::kKueueGroup), "workloads"})) {
        if (auto workload = api::from_value<api::Workload>(*object)) {
            all.emplace_back(name, std::move(*workload));
        }
    }
    return all;
}

/// Returns the Workload of a job. A growing elastic job has several: the unfinished one counts.
Seen find(const JobExpectation& wanted, const apiserver::Store& store) {
    Seen found;
    for (const auto& [name, workload] : workloads_of(store)) {
        const auto& owners = workload.metadata.owner_references;
        const bool is_it = wanted.job.empty()
                               ? name_of_workload(name) == wanted.workload
                               : std::ranges::any_of(owners, [&, ns = name.ns](const auto& owner) {
                                     return ns + "/" + owner.name == wanted.job &&
                                            (wanted.kind.empty() || owner.kind == wanted.kind);
                                 });
        if (is_it && (found.state == JobState::Missing || found.state == JobState::Finished)) {
            found = look_at(workload);
        }
    }
    return found;
}

std::string print_flavors(const Seen& seen) {
    std::vector<std::string> parts;
    for (const api::PodSetAssignment& pod_set : seen.pod_sets) {
        for (const auto& [resource, flavor] : pod_set.flavors) {
            std::string part = fmt::format("{} on {}", resource, flavor);
            if (std::ranges::find(parts, part) == parts.end()) {
                parts.push_back(std::move(part));
            }
        }
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string print_seen(const Seen& seen) {
    std::string text(to_string(seen.state));
    if (!seen.cluster_queue.empty()) {
        text += fmt::format(" in {} ({})", seen.cluster_queue, print_flavors(seen));
    }
    if (seen.is_preempted) {
        text += ", preempted before";
    }
    if (!seen.message.empty()) {
        text += "; message: " + seen.message;
    }
    return text;
}

bool has_flavors(const Seen& seen, const std::map<std::string, std::string>& wanted) {
    return std::ranges::all_of(wanted, [&](const auto& entry) {
        bool has_resource = false;
        for (const api::PodSetAssignment& pod_set : seen.pod_sets) {
            const auto found = pod_set.flavors.find(entry.first);
            if (found != pod_set.flavors.end()) {
                has_resource = true;
                if (found->second != entry.second) {
                    return false;
                }
            }
        }
        return has_resource;
    });
}

/// Returns true if an object of that name exists, of any kind.
bool has_object(const apiserver::Store& store, const std::string& name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) {
        return false;
    }
    const apiserver::ObjectName sought{name.substr(0, slash), name.substr(slash + 1)};
    return std::ranges::any_of(store.collections(), [&](const apiserver::Collection& collection) {
        return store.find(collection, sought) != nullptr;
    });
}

Verdict judge_expected_job(const JobExpectation& wanted, const apiserver::Store& store) {
    std::vector<std::string> words;
    std::vector<std::string> wrong;
    const Seen seen = find(wanted, store);
    const auto expect = [&](bool holds, std::string what) {
        if (!holds) {
            wrong.push_back(what);
        }
        words.push_back(std::move(what));
    };
    if (wanted.state) {
        expect(seen.state == *wanted.state, std::string(to_string(*wanted.state)));
    }
    if (!wanted.cluster_queue.empty()) {
        expect(seen.cluster_queue == wanted.cluster_queue, "in " + wanted.cluster_queue);
    }
    for (const auto& [resource, flavor] : wanted.flavors) {
        expect(has_flavors(seen, {{resource, flavor}}), fmt::format("{} on {}", resource, flavor));
    }
    if (seen.state == JobState::Missing && wanted.state != JobState::Missing) {
        wrong.emplace_back("a Workload");  // a missing job meets no expectation
    }
    if (wanted.preempted) {
        expect(
            seen.is_preempted == *wanted.preempted,
            *wanted.preempted ? "preempted" : "not preempted"
        );
    }
    if (!wanted.message.empty()) {
        expect(
            seen.message.find(wanted.message) != std::string::npos,
            fmt::format("\"{}\"", wanted.message)
        );
    }
    Verdict verdict;
    verdict.name = fmt::format(
        "{}{}: {}",
        wanted.kind.empty() ? "" : wanted.kind + " ",
        wanted.job.empty() ? wanted.workload : wanted.job,
        fmt::join(words, ", ")
    );
    if (!wrong.empty()) {
        verdict.failure =
            fmt::format("expected {}; found {}", fmt::join(wrong, ", "), print_seen(seen));
    }
    return verdict;
}

/// Returns nullopt if the queue does not have that resource in that flavor.
std::optional<api::Quantity> usage_of(
    const api::ClusterQueue& queue, const std::string& flavor, const std::string& resource
) {
    for (const auto& used : queue.status.flavors_usage) {
        if (used.name != flavor) {
            continue;
        }
        for (const auto& each : used.resources) {
            if (each.name == resource) {
                return each.total;
            }
        }
    }
    return std::nullopt;
}

Verdict judge_queue(const QueueExpectation& wanted, const apiserver::Store& store) {
    Verdict verdict;
    const auto stored = store.find(
        {std::string(api::kKueueGroup), "clusterqueues"}, apiserver::ObjectName{"", wanted.name}
    );
    const auto queue = stored ? api::from_value<api::ClusterQueue>(*stored)
                              : Result<api::ClusterQueue>(make_invalid("not found"));
    std::vector<std::string> words;
    std::vector<std::string> missed;
    std::vector<std::string> found;
    const auto expect = [&](const std::string& what, const std::string& value, const std::string& is
                        ) {
        words.push_back(what + " " + value);
        if (value != is) {
            missed.push_back(words.back());
            found.push_back(what + " " + is);
        }
    };
    const api::ClusterQueueStatus status = queue ? queue->status : api::ClusterQueueStatus();
    if (wanted.pending) {
        expect(
            "pending", fmt::to_string(*wanted.pending), fmt::to_string(status.pending_workloads)
        );
    }
    if (wanted.reserving) {
        expect(
            "reserving",
            fmt::to_string(*wanted.reserving),
            fmt::to_string(status.reserving_workloads)
        );
    }
    if (wanted.admitted) {
        expect(
            "admitted", fmt::to_string(*wanted.admitted), fmt::to_string(status.admitted_workloads)
        );
    }
    for (const auto& [flavor, resources] : wanted.usage) {
        for (const auto& [resource, amount] : resources) {
            const auto used = queue ? usage_of(*queue, flavor, resource) : std::nullopt;
            const bool is_equal = used && (*used <=> amount) == std::strong_ordering::equal;
            expect(
                fmt::format("{} of {}", resource, flavor),
                amount.to_string(),
                is_equal ? amount.to_string()
                : used   ? used->to_string()
                         : "missing"
            );
        }
    }
    verdict.name = fmt::format("ClusterQueue {}: {}", wanted.name, fmt::join(words, ", "));
    if (!queue) {
        verdict.failure = fmt::format(
            "expected {}; the ClusterQueue is {}", fmt::join(words, ", "), queue.error().detail
        );
    } else if (!missed.empty()) {
        verdict.failure =
            fmt::format("expected {}; found {}", fmt::join(missed, ", "), fmt::join(found, ", "));
    }
    return verdict;
}

bool is_about(const RefusalExpectation& wanted, const Refusal& refusal) {
    return wanted.kind == refusal.kind && wanted.name == refusal.name;
}

Verdict judge_refusal(
    const RefusalExpectation& wanted,
    const std::vector<Refusal>& refusals,
    const std::set<std::string>& applied
) {
    Verdict verdict{.name = fmt::format("{} {}: refused", wanted.kind, wanted.name), .failure = ""};
    if (!wanted.message.empty()) {
        verdict.name += fmt::format(", \"{}\"", wanted.message);
    }
    const auto found = std::ranges::find_if(refusals, [&](const Refusal& refusal) {
        return is_about(wanted, refusal);
    });
    if (found == refusals.end()) {
        verdict.failure = fmt::format(
            "expected to be refused; {}",
            applied.contains(wanted.name) ? "no object of this kind and name was refused"
                                          : "no object of this name was applied"
        );
    } else if (found->message.find(wanted.message) == std::string::npos) {
        verdict.failure = fmt::format(
            "expected to be refused with \"{}\"; refused with another message: {}",
            wanted.message,
            found->message
        );
    }
    return verdict;
}

}  // namespace

std::vector<Verdict> judge(
    const Expectations& expectations,
    const apiserver::Store& store,
    const std::vector<Refusal>& refusals,
    const std::set<std::string>& applied
) {
    std::vector<Verdict> verdicts;
    for (const Refusal& refusal : refusals) {
        const bool is_expected =
            std::ranges::any_of(expectations.refused, [&](const RefusalExpectation& wanted) {
                return is_about(wanted, refusal);
            });
        if (!is_expected) {
            verdicts.push_back(
                {.name = fmt::format("{} {}: can be applied", refusal.kind, refusal.name),
                 .failure = fmt::format(
                     "expected to be applied; refused: {}: {}", refusal.place, refusal.message
                 )}
            );
        }
    }
    for (const RefusalExpectation& wanted : expectations.refused) {
        verdicts.push_back(judge_refusal(wanted, refusals, applied));
    }
    for (const JobExpectation& wanted : expectations.jobs) {
        verdicts.push_back(judge_expected_job(wanted, store));
        const std::string& name = wanted.job.empty() ? wanted.workload : wanted.job;
        if (wanted.state == JobState::Missing && !applied.contains(name) &&
            !has_object(store, name)) {
            verdicts.back().failure = "no object of this name was applied";
        }
    }
    for (const QueueExpectation& wanted : expectations.cluster_queues) {
        verdicts.push_back(judge_queue(wanted, store));
    }
    return verdicts;
}

std::string describe_waiting_pods(const apiserver::Store& store) {
    std::size_t count = 0;
    std::string example;
    for (const auto& [name, pod] : store.objects({"", "pods"})) {
        const json::Value* conditions = pod->find_path({"status", "conditions"});
        if (conditions == nullptr || !conditions->is_array()) {
            continue;
        }
        for (const json::Value& condition : conditions->as_array()) {
            const bool has_no_node = condition.string_at("type") == "PodScheduled" &&
                                     condition.string_at("reason") == "Unschedulable";
            if (has_no_node && count++ == 0) {
                example =
                    fmt::format("{}: {}", name_of_workload(name), condition.string_at("message"));
            }
        }
    }
    if (count == 0) {
        return {};
    }
    return printable(fmt::format("pods without a node: {}, such as {}", count, example)) + "\n";
}

std::string describe_workloads(const apiserver::Store& store) {
    std::string text;
    for (const auto& [name, workload] : workloads_of(store)) {
        const auto& owners = workload.metadata.owner_references;
        const std::string owner =
            owners.empty() ? "Workload " + name_of_workload(name)
                           : fmt::format("{} {}/{}", owners[0].kind, name.ns, owners[0].name);
        text +=
            printable(fmt::format(
                "{}, queue {}: {}", owner, workload.spec.queue_name, print_seen(look_at(workload))
            )) +
            "\n";
    }
    return text;
}

}  // namespace sluice::commands
