#include "support/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace sluice::support {

using engine::FlavorRefusal;
using engine::PreemptionReason;
using engine::RefusalKind;
using engine::RequeuedTo;
using engine::WaitingReason;

std::string_view to_string(PreemptionReason reason) {
    switch (reason) {
        case PreemptionReason::InClusterQueue:
            return "InClusterQueue";
        case PreemptionReason::InCohortReclamation:
            return "InCohortReclamation";
        case PreemptionReason::InCohortFairSharing:
            return "InCohortFairSharing";
        case PreemptionReason::InCohortReclaimWhileBorrowing:
            return "InCohortReclaimWhileBorrowing";
    }
    return "?";
}

std::string_view to_string(WaitingReason reason) {
    switch (reason) {
        case WaitingReason::NoMatchingFlavor:
            return "NoMatchingFlavor";
        case WaitingReason::ExceedsMaxQuota:
            return "ExceedsMaxQuota";
        case WaitingReason::WaitingForQuota:
            return "WaitingForQuota";
        case WaitingReason::TopologyPlacementFailed:
            return "TopologyPlacementFailed";
        case WaitingReason::WaitingForPreemptedWorkloads:
            return "WaitingForPreemptedWorkloads";
        case WaitingReason::Misconfigured:
            return "Misconfigured";
        case WaitingReason::PendingEvaluation:
            return "PendingEvaluation";
        case WaitingReason::WaitingForPodsReady:
            return "WaitingForPodsReady";
        case WaitingReason::AdmissionGated:
            return "AdmissionGated";
        case WaitingReason::UnspecifiedTopology:
            return "UnspecifiedTopology";
        case WaitingReason::Unspecified:
            return "Unspecified";
    }
    return "?";
}

std::string_view to_string(RefusalKind kind) {
    switch (kind) {
        case RefusalKind::InactiveClusterQueue:
            return "InactiveClusterQueue";
        case RefusalKind::FailedChecks:
            return "FailedChecks";
        case RefusalKind::NamespaceMismatch:
            return "NamespaceMismatch";
        case RefusalKind::NamespaceNotFound:
            return "NamespaceNotFound";
        case RefusalKind::InvalidRequests:
            return "InvalidRequests";
        case RefusalKind::Assignment:
            return "Assignment";
        case RefusalKind::PendingPreemption:
            return "PendingPreemption";
        case RefusalKind::PreemptionGated:
            return "PreemptionGated";
        case RefusalKind::DeferredFit:
            return "DeferredFit";
        case RefusalKind::NoLongerFits:
            return "NoLongerFits";
        case RefusalKind::OverlappingTargets:
            return "OverlappingTargets";
        case RefusalKind::WaitingForPodsReady:
            return "WaitingForPodsReady";
    }
    return "?";
}

std::string_view to_string(RequeuedTo requeued) {
    switch (requeued) {
        case RequeuedTo::Heap:
            return "Active";
        case RequeuedTo::Inadmissible:
            return "Inadmissible";
        case RequeuedTo::Dropped:
            return "Dropped";
    }
    return "?";
}

std::string describe(
    const FlavorRefusal& refusal,
    std::string_view flavor,
    std::string_view resource,
    std::string_view other
) {
    switch (refusal.kind) {
        case FlavorRefusal::Kind::ResourceUnavailable:
            return fmt::format("ResourceUnavailable {}", resource);
        case FlavorRefusal::Kind::FlavorNotFound:
            return fmt::format("FlavorNotFound {}", flavor);
        case FlavorRefusal::Kind::UntoleratedTaint:
            return fmt::format("UntoleratedTaint {} taint={}", flavor, refusal.taint);
        case FlavorRefusal::Kind::NodeAffinity:
            return fmt::format("NodeAffinity {}", flavor);
        case FlavorRefusal::Kind::InvalidAffinity:
            return fmt::format("InvalidAffinity {} podSet={}", flavor, refusal.pod_set);
        case FlavorRefusal::Kind::NotNominated:
            return fmt::format("NotNominated {}", flavor);
        case FlavorRefusal::Kind::TopologyUnsupported:
            return fmt::format("TopologyUnsupported {}", flavor);
        case FlavorRefusal::Kind::TopologyOnly:
            return fmt::format("TopologyOnly {}", flavor);
        case FlavorRefusal::Kind::TopologyMissing:
            return fmt::format("TopologyMissing {}", flavor);
        case FlavorRefusal::Kind::TopologyLevelMissing:
            return fmt::format("TopologyLevelMissing {}", flavor);
        case FlavorRefusal::Kind::NoTopologyInQueue:
            return "NoTopologyInQueue";
        case FlavorRefusal::Kind::NoTopologyFlavor:
            return "NoTopologyFlavor";
        case FlavorRefusal::Kind::TwoTopologyFlavors:
            return fmt::format("TwoTopologyFlavors {}", flavor);
        case FlavorRefusal::Kind::NotPlaced:
            return fmt::format("NotPlaced {}", flavor);
        case FlavorRefusal::Kind::NotOfReplacedSlice:
            return fmt::format("NotOfReplacedSlice {}/{} held={}", flavor, resource, other);
        case FlavorRefusal::Kind::InsufficientUnused:
            return fmt::format(
                "InsufficientUnused {}/{} needed={} assumed={} requested={} free={} capacity={} "
                "at={}{}{}{}",
                flavor,
                resource,
                refusal.needed.value(),
                refusal.assumed.value(),
                refusal.requested.value(),
                refusal.free.value(),
                refusal.capacity.value(),
                other,
                refusal.at_borrowing_limit ? " limit" : "",
                refusal.has_victims ? " victims" : "",
                refusal.is_choice ? " choice" : ""
            );
        case FlavorRefusal::Kind::ExceedsCapacity:
            return fmt::format(
                "ExceedsCapacity {}/{} assumed={} requested={} free={} capacity={}",
                flavor,
                resource,
                refusal.assumed.value(),
                refusal.requested.value(),
                refusal.free.value(),
                refusal.capacity.value()
            );
    }
    return "?";
}

void sort_outcome(Outcome& outcome) {
    for (NamedAdmission& admission : outcome.admitted) {
        for (NamedPodSet& pod_set : admission.pod_sets) {
            std::sort(pod_set.flavors.begin(), pod_set.flavors.end());
        }
    }
    for (NamedRefusal& refusal : outcome.refused) {
        for (NamedPodSetRefusal& pod_set : refusal.pod_sets) {
            std::sort(pod_set.reasons.begin(), pod_set.reasons.end());
        }
        std::sort(refusal.shortages.begin(), refusal.shortages.end());
    }
}

namespace {

NamedAdmission to_named(const engine::AdmissionDecision& decision, const NameLookup& names) {
    NamedAdmission named{
        .workload = names.workload(decision.workload),
        .cluster_queue = names.node(decision.cluster_queue),
        .pod_sets = {},
        .borrowing_level = decision.borrowing_level,
        .replaces = decision.replaces.is_valid() ? names.workload(decision.replaces) : "",
    };
    for (const engine::AssignedPodSet& pod_set : decision.pod_sets) {
        NamedPodSet out{
            .name = names.pod_set(decision.workload, pod_set.pod_set),
            .count = pod_set.count,
            .flavors = {},
        };
        for (const engine::AssignedFlavor& flavor : pod_set.flavors) {
            out.flavors.push_back({
                .resource = names.resource(flavor.resource),
                .flavor = names.flavor(flavor.flavor),
                .amount = flavor.amount ? std::optional(flavor.amount->value()) : std::nullopt,
            });
        }
        named.pod_sets.push_back(std::move(out));
    }
    return named;
}

NamedRefusal to_named(const engine::RefusalDecision& decision, const NameLookup& names) {
    NamedRefusal named{
        .workload = names.workload(decision.workload),
        .cluster_queue = names.node(decision.cluster_queue),
        .reason = decision.reason,
        .kind = decision.kind,
        .requeued = decision.requeued,
        .preemptions = decision.preemptions,
        .pod_sets = {},
        .shortages = {},
    };
    const auto text_of = [&names](const FlavorRefusal& refusal) {
        return describe(
            refusal,
            refusal.flavor.is_valid() ? names.flavor(refusal.flavor) : "",
            refusal.resource.is_valid() ? names.resource(refusal.resource) : "",
            refusal.held.is_valid()   ? names.flavor(refusal.held)
            : refusal.node.is_valid() ? names.node(refusal.node)
                                      : ""
        );
    };
    for (const FlavorRefusal& shortage : decision.shortages) {
        named.shortages.push_back(text_of(shortage));
    }
    for (const engine::PodSetRefusal& pod_set : decision.pod_sets) {
        NamedPodSetRefusal out{
            .name = names.pod_set(decision.workload, pod_set.pod_set), .reasons = {}
        };
        for (const FlavorRefusal& refusal : pod_set.flavors) {
            out.reasons.push_back(text_of(refusal));
        }
        named.pod_sets.push_back(std::move(out));
    }
    return named;
}

}  // namespace

NameLookup names_of(const engine::State& state) {
    return {
        .workload = [&state](engine::WorkloadIndex index
                    ) { return std::string(state.workload_key(index)); },
        .node = [&state](engine::NodeIndex index) { return state.node_name(index); },
        .flavor = [&state](engine::FlavorIndex index) { return state.flavor_name(index); },
        .resource = [&state](engine::ResourceIndex index) { return state.resource_name(index); },
        .pod_set = [&state](
                       engine::WorkloadIndex index, std::uint32_t pod_set
                   ) { return state.workload(index).pod_sets[pod_set].name; },
    };
}

Outcome to_outcome(const engine::CycleResult& result, const NameLookup& names) {
    Outcome outcome;
    outcome.cycle = result.cycle;
    for (const engine::AdmissionDecision& decision : result.admitted) {
        outcome.admitted.push_back(to_named(decision, names));
    }
    for (const engine::PreemptionDecision& decision : result.preempted) {
        outcome.preempted.push_back({
            .victim = names.workload(decision.victim),
            .cluster_queue = names.node(decision.victim_cluster_queue),
            .reason = decision.reason,
            .preemptor = names.workload(decision.preemptor),
        });
    }
    for (const engine::RefusalDecision& decision : result.refused) {
        outcome.refused.push_back(to_named(decision, names));
    }
    sort_outcome(outcome);
    return outcome;
}

std::vector<std::string> to_lines(const Outcome& outcome) {
    std::vector<std::string> lines;
    for (const NamedAdmission& admission : outcome.admitted) {
        std::string line =
            fmt::format("admit {} in {}:", admission.workload, admission.cluster_queue);
        for (const NamedPodSet& pod_set : admission.pod_sets) {
            line += fmt::format(" {} x{}", pod_set.name, pod_set.count);
            for (const NamedAssignment& flavor : pod_set.flavors) {
                line += fmt::format(" {}={}", flavor.resource, flavor.flavor);
                line += flavor.amount ? fmt::format(":{}", *flavor.amount) : "";
            }
        }
        line += fmt::format(" level {}", admission.borrowing_level);
        lines.push_back(
            admission.replaces.empty() ? line : line + " replaces " + admission.replaces
        );
    }
    for (const NamedPreemption& preemption : outcome.preempted) {
        lines.push_back(fmt::format(
            "preempt {} in {} reason={} for {}",
            preemption.victim,
            preemption.cluster_queue,
            to_string(preemption.reason),
            preemption.preemptor
        ));
    }
    for (const NamedRefusal& refusal : outcome.refused) {
        std::string line = fmt::format(
            "refuse {} in {}: {} ({}) to {}",
            refusal.workload,
            refusal.cluster_queue,
            to_string(refusal.reason),
            to_string(refusal.kind),
            to_string(refusal.requeued)
        );
        if (refusal.preemptions > 0) {
            line += fmt::format(" preemptions={}", refusal.preemptions);
        }
        for (const NamedPodSetRefusal& pod_set : refusal.pod_sets) {
            line += fmt::format(" {}[{}]", pod_set.name, fmt::join(pod_set.reasons, ", "));
        }
        if (!refusal.shortages.empty()) {
            line += fmt::format(" short of [{}]", fmt::join(refusal.shortages, ", "));
        }
        lines.push_back(line);
    }
    return lines;
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    out << "cycle " << outcome.cycle << '\n';
    for (const std::string& line : to_lines(outcome)) {
        out << "  " << line << '\n';
    }
    return out;
}

}  // namespace sluice::support
