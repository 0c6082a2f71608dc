#include "workload/walked_view.hpp"

#include "engine/flavors/workload_slice.hpp"

#include <algorithm>

namespace sluice::workload {

using engine::Amount;
using engine::FlavorResourceIndex;
using engine::NodeIndex;
using engine::RefusalKind;

WalkedView::WalkedView(
    const engine::State& state, const engine::CycleResult& result, std::size_t refused, Of numbers
)
    : state_(state), asking_(result.refused[refused].cluster_queue) {
    for (const auto& decision : result.admitted) {
        absent_.insert(decision.workload);  // those that came before are added below
    }
    const engine::RefusalDecision& refusal = result.refused[refused];
    if (numbers == Of::PodSets && !refusal.is_recomputed) {
        return;
    }
    const bool with_targets_gone =
        numbers == Of::PodSets || refusal.kind != RefusalKind::DeferredFit;
    if (with_targets_gone) {
        for (std::size_t i = 0; i < refused; ++i) {
            const auto& before = result.refused[i];
            if (before.kind == RefusalKind::PendingPreemption) {
                absent_.insert(before.targets.begin(), before.targets.end());
            }
        }
        for (std::size_t i = 0; i < refusal.admitted_before; ++i) {
            if (result.admitted[i].replaces.is_valid()) {
                absent_.insert(result.admitted[i].replaces);
            }
        }
    }
    if (numbers == Of::Shortages && with_targets_gone) {
        absent_.insert(refusal.targets.begin(), refusal.targets.end());
    }
    add_turns_before(result, refused);
}

void WalkedView::add_turns_before(const engine::CycleResult& result, std::size_t refused) {
    for (std::size_t i = 0; i < result.refused[refused].admitted_before; ++i) {
        add(result.admitted[i]);
    }
    for (std::size_t i = 0; i < refused; ++i) {
        const auto& before = result.refused[i];
        if (!before.reserved.empty()) {
            additions_[before.cluster_queue].push_back(
                {.workload = before.workload, .usages = before.reserved, .is_reserved = true}
            );
        }
    }
}

void WalkedView::add(const engine::AdmissionDecision& decision) {
    additions_[decision.cluster_queue].push_back(
        {.workload = decision.workload, .usages = engine::counted_usage(state_, decision)}
    );
}

bool WalkedView::is_above_asking(NodeIndex node) const {
    NodeIndex at = asking_;
    while (at.is_valid() && at != node) {
        at = state_.tree().node(at).parent;
    }
    return at.is_valid();
}

void WalkedView::walk(NodeIndex index, FlavorResourceIndex pair, WalkedSubtree& found) const {
    const auto& node = state_.tree().node(index);
    found.usage = Amount();
    if (node.is_cluster_queue) {
        const auto count = [&](engine::WorkloadIndex workload, Amount amount, bool is_reserved) {
            found.usage += amount;
            if (amount > Amount()) {
                found.holders.push_back({workload, index, amount, is_reserved});
            }
        };
        for (const auto holder : state_.cluster_queue(index).holders) {
            const auto& holding = state_.workload(holder).holding;
            if (!absent_.contains(holder)) {
                count(holder, engine::amount_of(holding->usages, pair), false);
            }
        }
        if (const auto added = additions_.find(index); added != additions_.end()) {
            for (const auto& [workload, usages, is_reserved] : added->second) {
                // What is less than nothing never leaves its ClusterQueue.
                count(workload, max(Amount(), engine::amount_of(usages, pair)), is_reserved);
            }
        }
        return;
    }
    Amount usage;
    for (const NodeIndex child : node.children) {
        const std::size_t holders = found.holders.size();
        walk(child, pair, found);
        const Amount local = state_.tree().cell(child, pair).local();
        usage += max(Amount(), found.usage - local);
        if (is_above_asking(child)) {
            continue;
        }
        if (found.usage <= local) {
            found.holders.resize(holders);  // they use what no other queue may have
        }
        const Amount kept = max(Amount(), local - found.usage);
        found.kept_back += kept;
        if (kept > found.most_kept) {
            found.most_kept = kept;
            found.keeper = child;
        }
    }
    found.usage = usage;
}

WalkedSubtree WalkedView::subtree(NodeIndex node, FlavorResourceIndex pair) const {
    WalkedSubtree found;
    walk(node, pair, found);
    std::ranges::sort(found.holders, [this](const Held& a, const Held& b) {
        return a.amount != b.amount
                   ? a.amount > b.amount
                   : state_.workload_key(a.workload) < state_.workload_key(b.workload);
    });
    return found;
}

}  // namespace sluice::workload
