#include "workload/status/messages.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology_assignment.hpp"
#include "api/meta/micro_time.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/pod_shape.hpp"
#include "workload/status/placement_message.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace sluice::workload {
namespace {

namespace reason = api::reason;

/// Returns a taint as Go prints the struct: {key value effect <nil>}.
std::string taint_text(
    const References& references, const std::string& flavor, std::uint32_t taint
) {
    const auto found = references.flavors.find(flavor);
    if (found == references.flavors.end() || taint >= found->second.spec.node_taints.size()) {
        return "{}";
    }
    const auto& t = found->second.spec.node_taints[taint];
    const auto added = t.time_added ? fmt::format(
                                          "{:%Y-%m-%d %H:%M:%S} +0000 UTC",
                                          std::chrono::floor<std::chrono::seconds>(*t.time_added)
                                      )
                                    : std::string("<nil>");
    return fmt::format("{{{} {} {} {}}}", t.key, t.value, t.effect, added);
}

std::string quota_refusal_text(
    const engine::FlavorRefusal& refusal, const std::string& resource, const std::string& flavor
) {
    if (refusal.kind == engine::FlavorRefusal::Kind::InsufficientUnused) {
        return fmt::format(
            "insufficient unused quota for {} in flavor {}, {} more needed",
            resource,
            flavor,
            to_text(resource, refusal.needed)
        );
    }
    return fmt::format(
        "insufficient quota for {} in flavor {}, previously considered podsets requests "
        "({}) + current podset request ({}) > maximum capacity ({})",
        resource,
        flavor,
        to_text(resource, refusal.assumed),
        to_quantity(resource, refusal.requested).to_string(),
        to_text(resource, refusal.capacity)
    );
}

std::string flavor_refusal_text(
    const engine::State& state, const engine::FlavorRefusal& refusal, const References& references
) {
    const std::string resource =
        refusal.resource.is_valid() ? state.resource_name(refusal.resource) : "";
    std::string flavor = refusal.flavor.is_valid() ? state.flavor_name(refusal.flavor) : "";
    using enum engine::FlavorRefusal::Kind;
    switch (refusal.kind) {
        case ResourceUnavailable:
            return fmt::format("resource {} unavailable in ClusterQueue", resource);
        case FlavorNotFound:
            return fmt::format("flavor {} not found", flavor);
        case NotNominated:
            return fmt::format(
                "skipping flavor {} as it is not found in the nomination mapping for resource {}",
                flavor,
                resource
            );
        case NotOfReplacedSlice:
            return fmt::format(
                "could not assign {} flavor since the original workload is assigned: {}",
                flavor,
                refusal.held.is_valid() ? state.flavor_name(refusal.held) : ""
            );
        case UntoleratedTaint:
            return fmt::format(
                "untolerated taint {} in flavor {}",
                taint_text(references, flavor, refusal.taint),
                flavor
            );
        case NodeAffinity:
        case InvalidAffinity:  // see error_text()
            return fmt::format("flavor {} doesn't match node affinity", flavor);
        case TopologyUnsupported:
            return fmt::format("Flavor \"{}\" does not support TopologyAwareScheduling", flavor);
        case TopologyOnly:
            return fmt::format("Flavor \"{}\" supports only TopologyAwareScheduling", flavor);
        case TopologyMissing:
            return fmt::format("Flavor \"{}\" information missing in TAS cache", flavor);
        case TopologyLevelMissing:
            return fmt::format("Flavor \"{}\" does not contain the requested level", flavor);
        case NoTopologyInQueue:
            return "workload requires Topology, but there is no TAS cache information";
        case NoTopologyFlavor:
            return "no TAS flavor assigned";
        case TwoTopologyFlavors:  // see error_text()
            return flavor;
        case NotPlaced:
            return placement_message(state, *refusal.placement);
        case InsufficientUnused:
        case ExceedsCapacity:
            return quota_refusal_text(refusal, resource, flavor);
    }
    return "";
}

std::string invalid_affinity_text(
    const engine::State& state,
    const engine::FlavorRefusal& refusal,
    const api::Workload& workload,
    const References& references
) {
    const auto flavor = references.flavors.find(state.flavor_name(refusal.flavor));
    const auto& pod_sets = workload.spec.pod_sets;
    if (flavor == references.flavors.end() || refusal.pod_set >= pod_sets.size()) {
        return "";
    }
    return affinity_problem(
        make_pod_shape(pod_sets[refusal.pod_set].template_->spec), flavor->second
    );
}

/// Returns the sentence of a podSet whose search for flavors ended with an error; empty if it did
/// not.
std::string error_text(
    const engine::State& state,
    const engine::PodSetRefusal& pod_set,
    const api::Workload& workload,
    const References& references
) {
    using Kind = engine::FlavorRefusal::Kind;
    std::vector<std::string> several;
    for (const auto& flavor : pod_set.flavors) {
        if (flavor.kind == Kind::InvalidAffinity) {
            return invalid_affinity_text(state, flavor, workload, references);
        }
        using Failure = engine::PlacementFailure::Kind;
        const bool is_elastic = flavor.placement != nullptr &&
                                (flavor.placement->kind == Failure::ElasticWithRequired ||
                                 flavor.placement->kind == Failure::ElasticWithPreferred ||
                                 flavor.placement->kind == Failure::ElasticOnLostNode);
        if (flavor.kind == Kind::NoTopologyInQueue || flavor.kind == Kind::NoTopologyFlavor ||
            is_elastic) {
            return flavor_refusal_text(state, flavor, references);
        }
        if (flavor.kind == Kind::TwoTopologyFlavors) {
            several.push_back(flavor_refusal_text(state, flavor, references));
        }
    }
    return several.empty()
               ? ""
               : fmt::format("more than one TAS flavor assigned: {}", fmt::join(several, ", "));
}

std::string assignment_message(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload,
    const References& references
) {
    std::vector<std::string> sentences;
    const auto& all = workload.spec.pod_sets;
    if (all.empty()) {
        return "The workload has no podSets";
    }
    for (const auto& pod_set : refusal.pod_sets) {
        const std::string name = pod_set.pod_set < all.size() ? all[pod_set.pod_set].name : "";
        if (const auto error = error_text(state, pod_set, workload, references); !error.empty()) {
            return fmt::format("failed to assign flavors to pod set {}: {}", name, error);
        }
        std::vector<std::string> reasons;
        reasons.reserve(pod_set.flavors.size());
        for (const auto& flavor : pod_set.flavors) {
            reasons.push_back(flavor_refusal_text(state, flavor, references));
        }
        std::ranges::sort(reasons);
        sentences.push_back(
            fmt::format("couldn't assign flavors to pod set {}: {}", name, fmt::join(reasons, ", "))
        );
    }
    return fmt::format("{}", fmt::join(sentences, "; "));
}

std::string_view mode_text(engine::FlavorMode mode) {
    using enum engine::FlavorMode;
    switch (mode) {
        case NoFit:
            return "NoFit";
        case NoPreemptionCandidates:
            return "preemptionMode=NoCandidates";
        case Preempt:
            return "preemptionMode=Preempt";
        case Reclaim:
            return "preemptionMode=Reclaim";
        case Fit:
            return "Fit";
    }
    return "";
}

/// Returns "spot(NoFit;untolerated taint … in flavor spot)".
std::string considered_text(
    const engine::State& state,
    const engine::ConsideredFlavor& considered,
    const References& references
) {
    std::set<std::string> reasons;
    for (const auto& refusal : considered.refusals) {
        reasons.insert(flavor_refusal_text(state, refusal, references));
    }
    return fmt::format(
        "{}({}{}{}{})",
        state.flavor_name(considered.flavor),
        mode_text(considered.mode),
        considered.level > 0 ? fmt::format(";borrow={}", considered.level) : "",
        reasons.empty() ? "" : ";",
        fmt::join(reasons, ";")
    );
}

std::string_view cause_text(engine::PreemptionReason reason) {
    using enum engine::PreemptionReason;
    switch (reason) {
        case InClusterQueue:
            return "prioritization in the ClusterQueue";
        case InCohortReclamation:
            return "reclamation within the cohort";
        case InCohortFairSharing:
            return "Fair Sharing within the cohort";
        case InCohortReclaimWhileBorrowing:
            return "reclamation within the cohort while borrowing";
    }
    return "";
}

std::string_view or_unknown(std::string_view text) {
    return text.empty() ? "UNKNOWN" : text;
}

std::string priority_text(const Translator& translator, const api::Workload& workload) {
    const std::int64_t base = workload.spec.priority.value_or(0);
    const std::int64_t effective = translator.effective_priority(workload);
    return fmt::format("{} (base: {}, boost: {})", effective, base, effective - base);
}

}  // namespace

std::string_view to_string(engine::PreemptionReason reason) {
    using enum engine::PreemptionReason;
    switch (reason) {
        case InClusterQueue:
            return reason::kInClusterQueue;
        case InCohortReclamation:
            return reason::kInCohortReclamation;
        case InCohortFairSharing:
            return reason::kInCohortFairSharing;
        case InCohortReclaimWhileBorrowing:
            return reason::kInCohortReclaimWhileBorrowing;
    }
    return "";
}

std::string_view waiting_reason(engine::WaitingReason reason, const TranslationGates& gates) {
    using enum engine::WaitingReason;
    if (!gates.unadmitted_workloads_observability) {
        return reason == WaitingForPodsReady ? reason::kWaiting : reason::kPending;
    }
    switch (reason) {
        case Unspecified:
        case UnspecifiedTopology:
            return "";
        case NoMatchingFlavor:
            return reason::kNoMatchingFlavor;
        case ExceedsMaxQuota:
            return reason::kExceedsMaxQuota;
        case WaitingForQuota:
            return reason::kWaitingForQuota;
        case TopologyPlacementFailed:
            return reason::kTopologyPlacementFailed;
        case WaitingForPreemptedWorkloads:
            return reason::kWaitingForPreemptedWorkloads;
        case Misconfigured:
            return reason::kMisconfigured;
        case PendingEvaluation:
            return reason::kPendingEvaluation;
        case WaitingForPodsReady:
            return reason::kWaitingForPodsReady;
        case AdmissionGated:
            return reason::kAdmissionGated;
    }
    return "";
}

std::string_view shown_reason(engine::WaitingReason reason, const TranslationGates& gates) {
    using enum engine::WaitingReason;
    if (reason == Unspecified) {
        return waiting_reason(NoMatchingFlavor, gates);
    }
    return waiting_reason(reason == UnspecifiedTopology ? TopologyPlacementFailed : reason, gates);
}

std::string refusal_message(
    const engine::State& state,
    const engine::RefusalDecision& refusal,
    const api::Workload& workload,
    const api::ClusterQueue* queue,
    const Translator& translator
) {
    const auto assignment = [&] {
        return assignment_message(state, refusal, workload, translator.references());
    };
    using enum engine::RefusalKind;
    switch (refusal.kind) {
        case FailedChecks:
            return "The workload has failed admission checks";
        case InactiveClusterQueue:
            return fmt::format(
                "ClusterQueue {} is inactive", state.node_name(refusal.cluster_queue)
            );
        case NamespaceMismatch:
        case NamespaceNotFound:
        case InvalidRequests:
            return queue != nullptr ? translator.find_inadmissibility(workload, *queue).value_or("")
                                    : "";
        case Assignment:
            return assignment();
        case PreemptionGated:
            return std::string(kPreemptionGated);
        case PendingPreemption:
            return fmt::format(
                "{}. Pending the preemption of {} workload(s)", assignment(), refusal.preemptions
            );
        case NoLongerFits:
            return "Workload no longer fits after processing another workload";
        case DeferredFit:
            return "Workload has overlapping preemption targets with another workload, but will "
                   "fit after these "
                   "preemptions complete";
        case OverlappingTargets:
            return "Workload has overlapping preemption targets with another workload";
        case WaitingForPodsReady:
            return "waiting for all admitted workloads to be in PodsReady condition";
    }
    return "";
}

std::string preemption_message(
    const engine::State& state,
    const engine::PreemptionDecision& decision,
    const api::Workload& preemptor
) {
    const auto* job_uid = preemptor.metadata.find_label(api::label::kJobUid);
    return fmt::format(
        "Preempted to accommodate a workload (UID: {}, JobUID: {}) due to {}; preemptor path: {}; "
        "preemptee path: {}",
        or_unknown(preemptor.metadata.uid),
        or_unknown(job_uid != nullptr ? *job_uid : std::string_view()),
        cause_text(decision.reason),
        or_unknown(state.path_of(decision.preemptor_cluster_queue)),
        or_unknown(state.path_of(decision.victim_cluster_queue))
    );
}

std::string replacement_message(const api::Workload& replacement) {
    const auto* job_uid = replacement.metadata.find_label(api::label::kJobUid);
    return fmt::format(
        "Replaced to accommodate a workload (UID: {}, JobUID: {}) due to workload slice "
        "aggregation",
        replacement.metadata.uid,
        job_uid != nullptr ? *job_uid : ""
    );
}

std::string priorities_note(
    const Translator& translator, const api::Workload& preemptor, const api::Workload& victim
) {
    return fmt::format(
        "; preemptor effective priority: {}; preemptee effective priority: {}",
        priority_text(translator, preemptor),
        priority_text(translator, victim)
    );
}

std::string considered_flavors(
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload,
    const References& references
) {
    std::vector<std::string> texts;
    for (const auto& pod_set : decision.pod_sets) {
        auto considered = pod_set.considered;
        std::ranges::sort(considered, {}, [&](const engine::ConsideredFlavor& flavor) {
            return state.flavor_name(flavor.flavor);
        });
        std::vector<std::string> flavors;
        flavors.reserve(considered.size());
        for (const auto& flavor : considered) {
            flavors.push_back(considered_text(state, flavor, references));
        }
        if (!flavors.empty()) {
            const std::string& name = workload.spec.pod_sets[pod_set.pod_set].name;
            texts.push_back(fmt::format("{}: {}", name, fmt::join(flavors, ", ")));
        }
    }
    return fmt::format("{}", fmt::join(texts, " | "));
}

namespace {

api::TopologyAssignment make_topology(
    const engine::FlavorTopology& topology,
    const std::vector<engine::LeafPods>& leaves,
    api::AssignmentEncoding encoding
) {
    api::DomainAssignment made{.levels = topology.levels(), .domains = {}};
    if (topology.is_by_host()) {
        made.levels = {topology.levels().back()};  // a host's name says where it is
    }
    for (const engine::LeafPods& pods : leaves) {
        const auto domain = topology.domain_of(pods.leaf);
        made.domains.push_back(
            {.values = topology.is_by_host() ? std::vector{topology.tree().value(domain)}
                                             : topology.tree().path(domain),
             .count = pods.count}
        );
    }
    return api::encode(made, encoding);
}

std::string delayed_text(engine::DelayedTopology delayed) {
    switch (delayed) {
        case engine::DelayedTopology::None:
            return "";
        case engine::DelayedTopology::Pending:
            return "Pending";
        case engine::DelayedTopology::Ready:
            return "Ready";
    }
    return "";
}

}  // namespace

std::string no_replacement_message(const api::Workload& workload) {
    std::vector<std::string> nodes;
    nodes.reserve(workload.status.unhealthy_nodes.size());
    for (const auto& node : workload.status.unhealthy_nodes) {
        nodes.push_back(node.name);
    }
    constexpr std::string_view kWords =
        "Workload was evicted as there was no replacement for unhealthy node(s)";
    return fmt::format("{}: {}", kWords, fmt::join(nodes, ","));
}

namespace {

/// Decision: an AdmissionDecision or a SecondPassDecision.
template <class Decision>
api::Admission to_admission(
    const Translator& translator,
    const engine::State& state,
    const Decision& decision,
    const api::Workload& workload
) {
    const auto encoding = translator.settings().gates.tas_encode_hostname_prefixes
                              ? api::AssignmentEncoding::HostnamePrefixes
                              : api::AssignmentEncoding::OneSlice;
    api::Admission made{
        .cluster_queue = state.node_name(decision.cluster_queue), .pod_set_assignments = {}
    };
    for (const auto& pod_set : decision.pod_sets) {
        auto& assignment = made.pod_set_assignments.emplace_back();
        assignment.name = workload.spec.pod_sets[pod_set.pod_set].name;
        assignment.count = pod_set.count;
        assignment.delayed_topology_request = delayed_text(pod_set.delayed);
        // Kubernetes chooses the nodes of flavors that only enforce capacity.
        if (pod_set.leaves && state.flavor_has_topology(pod_set.topology)) {
            assignment.topology_assignment = make_topology(
                *state.topologies().find(pod_set.topology), *pod_set.leaves, encoding
            );
        }
        for (const auto& [resource, flavor, amount] : pod_set.flavors) {
            const std::string& name = state.resource_name(resource);
            assignment.flavors.emplace(name, state.flavor_name(flavor));
            if (amount) {
                assignment.resource_usage.emplace(name, to_quantity(name, *amount));
            }
        }
    }
    return made;
}

}  // namespace

api::Admission make_admission(
    const Translator& translator,
    const engine::State& state,
    const engine::AdmissionDecision& decision,
    const api::Workload& workload
) {
    return to_admission(translator, state, decision, workload);
}

api::Admission make_admission(
    const Translator& translator,
    const engine::State& state,
    const engine::SecondPassDecision& decision,
    const api::Workload& workload
) {
    api::Admission made = to_admission(translator, state, decision, workload);
    if (!state.options().gates.topology_aware_scheduling || !workload.status.admission) {
        return made;
    }
    for (auto& assignment : made.pod_set_assignments) {
        const auto& before = workload.status.admission->pod_set_assignments;
        const auto at = std::ranges::find(before, assignment.name, &api::PodSetAssignment::name);
        if (at != before.end() && !assignment.topology_assignment) {
            assignment.topology_assignment = at->topology_assignment;
        }
    }
    return made;
}

}  // namespace sluice::workload
