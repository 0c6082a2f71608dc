// Second passes: topologies for workloads that hold quota already (KEP-2724), because a check had
// to come first or a node failed.
#include "engine/cycle/cycle.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void Cycle::take_second_passes() {
    for (const auto& [holder, turn] : *state_.data().second_passes) {
        if (turn.due <= now_) {
            second_passes_.push_back(holder);
        }
    }
    std::sort(
        second_passes_.begin(),
        second_passes_.end(),
        [this](WorkloadIndex a, WorkloadIndex b) {
            return state_.workload(a).key() < state_.workload(b).key();
        }
    );
}

bool Cycle::loses_node(const State& state, const CycleEntry& entry) {
    return entry.holds_quota && state.workload(entry.workload).holding->placement->second_pass ==
                                    SecondPass::Replacement;
}

bool Cycle::stays_delayed(const CycleEntry& entry) const {
    const auto& pod_sets = entry.assignment.pod_sets;
    const auto has = [&pod_sets](DelayedTopology delayed) {
        return std::any_of(
            pod_sets.begin(),
            pod_sets.end(),
            [delayed](const PodSetChoice& pod_set) { return pod_set.delayed == delayed; }
        );
    };
    // The ClusterQueue or the workload may ask for no topology anymore since it was delayed.
    return state_.workload(entry.workload).holding->placement->second_pass == SecondPass::Delayed &&
           has(DelayedTopology::Pending) && !has(DelayedTopology::Ready);
}

HeldTopology Cycle::held_topology(
    const AssignedPodSet& pod_set, const std::vector<LeafPods>& leaves
) const {
    HeldTopology made{.flavor = pod_set.topology, .pod_set = pod_set.pod_set, .domains = {}};
    const FlavorTopology& of = *state_.topologies().find(pod_set.topology);
    for (const LeafPods& pods : leaves) {
        made.domains.push_back(
            {.id = of.id_of(pods.leaf), .count = static_cast<std::int32_t>(pods.count)}
        );
    }
    return made;
}

void Cycle::hold_leaves(
    HeldPlacement& into, const AssignedPodSet& pod_set, const std::vector<LeafPods>& leaves
) const {
    HeldTopology held = held_topology(pod_set, leaves);
    if (!state_.topologies().find(held.flavor)->enforces_capacity()) {
        into.topologies.push_back(std::move(held));
        return;
    }
    into.nodes.push_back(
        {.flavor = held.flavor,
         .pod_set = held.pod_set,
         .count = pod_set.count,
         .running = {},
         .expected = std::move(held.domains)}
    );
}

void Cycle::settle_displaced() {
    std::vector<CycleEntry*> displaced;
    for (CycleEntry& entry : entries_) {
        if (!entry.processed && entry.holds_quota) {
            displaced.push_back(&entry);
        }
    }
    std::stable_sort(
        displaced.begin(),
        displaced.end(),
        [this](const CycleEntry* a, const CycleEntry* b) {
            return state_.node_name(a->cluster_queue) < state_.node_name(b->cluster_queue);
        }
    );
    for (CycleEntry* entry : displaced) {
        settle_second_pass(*entry);
    }
}

void Cycle::settle_second_pass(CycleEntry& entry) {
    using Outcome = SecondPassDecision::Outcome;
    SecondPassDecision decision;
    decision.workload = entry.workload;
    decision.cluster_queue = entry.cluster_queue;
    SecondPassOutcome outcome{.workload = entry.workload};
    if (entry.has_no_replacement) {
        outcome.outcome = Outcome::Evicted;
    } else if (entry.admitted && !stays_delayed(entry)) {
        outcome.outcome = Outcome::Assigned;
        const auto& before = state_.workload(entry.workload).holding->placement;
        HeldPlacement made = *before;
        made.second_pass = SecondPass::None;
        made.unhealthy_nodes.clear();
        made.before = before;
        add_pod_sets(entry.assignment, decision.pod_sets);
        for (const AssignedPodSet& pod_set : decision.pod_sets) {
            if (pod_set.leaves) {
                std::erase_if(made.topologies, [&](const HeldTopology& topology) {
                    return topology.pod_set == pod_set.pod_set;
                });
                made.topologies.push_back(held_topology(pod_set, *pod_set.leaves));
            }
        }
        outcome.placement = CowPtr<HeldPlacement>::make(std::move(made));
    } else {
        move_findings(entry);
        decision.refusal = std::move(entry.refusal);
    }
    decision.outcome = outcome.outcome;
    decision_.result.second_passes.push_back(std::move(decision));
    decision_.second_passes.push_back(std::move(outcome));
}

}  // namespace sluice::engine
