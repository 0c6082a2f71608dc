#include "workload/explanation/eviction_prospects.hpp"

#include "engine/flavors/workload_slice.hpp"
#include "engine/preemption/preemption.hpp"

#include <vector>

namespace sluice::workload {

using engine::RefusalKind;
using engine::WorkloadIndex;

bool EvictionProspects::release(WorkloadIndex holder) {
    if (!gone_.insert(holder).second) {
        return false;
    }
    view_.remove(engine::held_by(state_, holder));
    return true;
}

void EvictionProspects::start() {
    is_started_ = true;
    view_ = engine::UsageView(state_.tree());
    gone_.clear();
    refused_ = 0;
    admitted_ = 0;
    for (std::size_t i = result_.admitted.size(); i-- > 0;) {
        release(result_.admitted[i].workload);
    }
}

void EvictionProspects::advance(std::size_t refused) {
    const std::uint32_t admitted = result_.refused[refused].admitted_before;
    if (!is_started_ || refused < refused_ || admitted < admitted_) {
        start();
    }
    for (; admitted_ < admitted; ++admitted_) {
        const engine::AdmissionDecision& decision = result_.admitted[admitted_];
        view_.add({
            .cluster_queue = decision.cluster_queue,
            .usages = engine::counted_usage(state_, decision),
        });
        gone_.erase(decision.workload);
        if (decision.replaces.is_valid()) {
            release(decision.replaces);
        }
    }
    for (; refused_ < refused; ++refused_) {
        const engine::RefusalDecision& before = result_.refused[refused_];
        view_.add({.cluster_queue = before.cluster_queue, .usages = before.reserved});
        if (before.kind == RefusalKind::PendingPreemption) {
            for (const auto target : before.targets) {
                release(target);
            }
        }
    }
}

bool EvictionProspects::has_victims(
    std::size_t refused, engine::FlavorResourceIndex pair, engine::Amount wanted
) {
    const engine::RefusalDecision& refusal = result_.refused[refused];
    const auto& policies = state_.cluster_queue(refusal.cluster_queue).spec.preemption;
    using enum engine::PreemptionPolicy;
    if (policies.within_cluster_queue == Never && policies.reclaim_within_cohort == Never) {
        return false;
    }
    advance(refused);
    const engine::UsageView::Trial trial(view_);
    std::vector<WorkloadIndex> own_targets;
    for (const auto target : refusal.targets) {
        if (release(target)) {
            own_targets.push_back(target);
        }
    }
    // Only reservations without a time are ordered by this time, and their order does not matter
    // here.
    engine::CandidateLists candidates(state_, engine::Time());
    engine::PreemptionSearch search({state_, view_, candidates, gone_});
    using Kind = engine::PreemptionSearch::Possibility::Kind;
    const bool found =
        search.may_help(refusal.cluster_queue, pair, wanted) &&
        search.simulate(refusal.workload, refusal.cluster_queue, pair, wanted).kind !=
            Kind::NoCandidates;
    for (const auto target : own_targets) {
        gone_.erase(target);
    }
    return found;
}

}  // namespace sluice::workload
