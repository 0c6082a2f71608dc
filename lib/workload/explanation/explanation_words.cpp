#include "workload/explanation/explanation_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sluice::workload {
namespace {

using engine::RefusalKind;

constexpr std::size_t kNamedMax = 3;

/// Returns "cohort/org" as "cohort org".
std::string node_words(std::string_view node) {
    const std::size_t slash = node.find('/');
    const std::string_view name = node.substr(slash + 1);
    return fmt::format("{} {}", node.starts_with("cohort/") ? "cohort" : "ClusterQueue", name);
}

std::string holder_words(const Holder& holder) {
    if (holder.amount.empty()) {
        return holder.workload;
    }
    return fmt::format(
        "{} ({}{})",
        holder.workload,
        holder.amount,
        holder.evicted    ? ", being evicted"
        : holder.reserved ? ", reserved"
                          : ""
    );
}

std::string holders_words(const std::vector<Holder>& holders) {
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(holders.size(), kNamedMax); ++i) {
        named.push_back(holder_words(holders[i]));
    }
    if (holders.size() > kNamedMax) {
        named.emplace_back("others");
    }
    return fmt::format("{}", fmt::join(named, ", "));
}

/// Returns "; it may borrow what becomes free or preempt"; empty if the workload can only wait.
std::string remedies_words(const std::vector<std::string>& remedies) {
    std::vector<std::string_view> words;
    for (const auto& remedy : remedies) {
        if (remedy == "borrow") {
            words.emplace_back("borrow what becomes free");
        } else if (remedy == "preempt") {
            words.emplace_back("preempt");
        }
    }
    return words.empty() ? "" : fmt::format("; it may {}", fmt::join(words, " or "));
}

std::string amounts_words(const Constraint& constraint) {
    const std::string what =
        fmt::format("{} {} in {}", constraint.needed, constraint.resource, constraint.flavor);
    const std::string node = node_words(constraint.node);
    if (constraint.remedies.empty()) {
        const std::string why = constraint.kind == "borrowingLimit"
                                    ? "the borrowing limit of " + node
                                : constraint.kind == "lendingLimit" ? "the lending limit of " + node
                                                                    : "the quota of " + node;
        return fmt::format(
            "needs {}, more than the {} that {} can ever allow", what, constraint.limit, why
        );
    }
    std::string text =
        fmt::format("needs {}, {} free (of at most {})", what, constraint.free, constraint.limit);
    if (constraint.kind == "borrowingLimit") {
        text += ", as much as the borrowing limit of " + node + " leaves";
    } else if (constraint.kind == "lendingLimit") {
        text += ", and the lending limit of " + node + " keeps back the rest";
    } else {
        text += " in " + node;
    }
    if (!constraint.holders.empty()) {
        text += "; held by " + holders_words(constraint.holders);
    }
    if (!constraint.reclaim.empty()) {
        text += fmt::format(
            "; its own quota of {} would do, but preemption.reclaimWithinCohort is {}",
            constraint.nominal,
            constraint.reclaim
        );
    }
    if (constraint.passed_over) {
        text += fmt::format("; flavor {} is tried again after those behind it", constraint.flavor);
    }
    return text;
}

bool ended_with_error(const engine::RefusalDecision& refusal) {
    return std::ranges::any_of(refusal.pod_sets, [](const engine::PodSetRefusal& pod_set) {
        return std::ranges::any_of(pod_set.flavors, [](const engine::FlavorRefusal& found) {
            using Kind = engine::FlavorRefusal::Kind;
            return found.kind == Kind::InvalidAffinity || found.kind == Kind::NoTopologyInQueue ||
                   found.kind == Kind::NoTopologyFlavor || found.kind == Kind::TwoTopologyFlavors;
        });
    });
}

/// Returns the outcome of the workload's turn, which precedes the constraint in the sentence.
std::string turn_words(const engine::RefusalDecision& refusal) {
    switch (refusal.kind) {
        case RefusalKind::PendingPreemption:
            return refusal.preemptions == 1
                       ? "waits for an eviction: "
                       : fmt::format("waits for {} evictions: ", refusal.preemptions);
        case RefusalKind::PreemptionGated:
            return "a closed gate keeps it from preempting: ";
        case RefusalKind::DeferredFit:
            return "fits once workloads evicted for others are gone: ";
        case RefusalKind::NoLongerFits:
            return "others came first: ";
        case RefusalKind::OverlappingTargets:
            return "another workload evicts the same ones: ";
        case RefusalKind::FailedChecks:
        case RefusalKind::InactiveClusterQueue:
        case RefusalKind::NamespaceMismatch:
        case RefusalKind::NamespaceNotFound:
        case RefusalKind::InvalidRequests:
        case RefusalKind::Assignment:
        case RefusalKind::WaitingForPodsReady:
            return "";
    }
    return "";
}

}  // namespace

std::string constraint_words(const Constraint& constraint) {
    if (constraint.kind == "capacity") {
        return fmt::format(
            "the nodes of flavor {} have room for {} of {} pods",
            constraint.flavor,
            constraint.free,
            constraint.needed
        );
    }
    if (constraint.kind == "topology" && !constraint.needed.empty()) {
        return fmt::format(
            "the nodes of flavor {} have room for {} of {}, for the topology that it asks for",
            constraint.flavor,
            constraint.free,
            constraint.needed
        );
    }
    if (!constraint.needed.empty()) {
        return amounts_words(constraint);
    }
    if (constraint.kind == "quota" && !constraint.flavor.empty()) {
        return fmt::format(
            "there is room in flavor {}, which is tried again after those behind it",
            constraint.flavor
        );
    }
    if (constraint.kind == "taint") {
        return fmt::format("its pods do not tolerate a taint of flavor {}", constraint.flavor);
    }
    if (constraint.kind == "affinity") {
        return fmt::format(
            "its pods' node selector or affinity excludes flavor {}", constraint.flavor
        );
    }
    if (constraint.kind == "undeclaredResource") {
        return fmt::format(
            "{} has no quota for {}", node_words(constraint.node), constraint.resource
        );
    }
    if (constraint.kind == "replacedSlice") {
        return fmt::format("the slice that it replaces is not on flavor {}", constraint.flavor);
    }
    if (constraint.kind == "inactive" && !constraint.flavor.empty()) {
        return fmt::format("flavor {} does not exist", constraint.flavor);
    }
    if (constraint.kind == "gate" && !constraint.holders.empty()) {
        return "waits until the pods of " + holders_words(constraint.holders) + " are ready";
    }
    return "";
}

std::string in_words(
    const engine::RefusalDecision& refusal, const std::vector<Constraint>& constraints
) {
    if (constraints.empty() || ended_with_error(refusal)) {
        return "";
    }
    const Constraint& main = constraints.front();
    const std::string words = constraint_words(main);
    if (words.empty()) {
        return "";
    }
    std::string text = turn_words(refusal) + words + remedies_words(main.remedies);
    if (const std::size_t others = constraints.size() - 1; others > 0) {
        text +=
            fmt::format(" (and {} more {})", others, others == 1 ? "constraint" : "constraints");
    }
    return text;
}

}  // namespace sluice::workload
