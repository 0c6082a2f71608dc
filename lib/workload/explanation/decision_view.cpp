#include "workload/explanation/decision_view.hpp"

#include "engine/flavors/workload_slice.hpp"

namespace sluice::workload {

using engine::RefusalKind;

DecisionView::DecisionView(const engine::State& state, const engine::CycleResult& result)
    : state_(state),
      result_(result),
      before_(make_moment(Targets::Present)),
      in_turn_(make_moment(Targets::Present)),
      with_targets_gone_(make_moment(Targets::Gone)) {}

DecisionView::Moment DecisionView::make_moment(Targets targets) const {
    Moment made{.holdings = Holdings(state_, Holdings::Of::State), .targets = targets};
    for (const auto& decision : result_.admitted) {
        made.holdings.leave(decision.workload);  // counts again from its turn on
    }
    return made;
}

void DecisionView::count_admission(Moment& moment) const {
    const engine::AdmissionDecision& decision = result_.admitted[moment.admitted++];
    moment.holdings.add(
        decision.cluster_queue, decision.workload, engine::counted_usage(state_, decision), false
    );
    if (moment.targets == Targets::Gone && decision.replaces.is_valid()) {
        moment.holdings.leave(decision.replaces);
    }
}

void DecisionView::count_refusal(Moment& moment) const {
    const engine::RefusalDecision& refusal = result_.refused[moment.refused++];
    if (!refusal.reserved.empty()) {
        moment.holdings.add(refusal.cluster_queue, refusal.workload, refusal.reserved, true);
    }
    if (moment.targets == Targets::Gone && refusal.kind == RefusalKind::PendingPreemption) {
        for (const auto target : refusal.targets) {
            moment.holdings.leave(target);
        }
    }
}

void DecisionView::advance(Moment& moment, std::size_t refused) const {
    const std::uint32_t admitted = result_.refused[refused].admitted_before;
    if (refused < moment.refused || admitted < moment.admitted) {
        moment = make_moment(moment.targets);
    }
    while (moment.admitted < admitted) {
        count_admission(moment);
    }
    while (moment.refused < refused) {
        count_refusal(moment);
    }
}

void DecisionView::bring_back_own_targets() {
    for (const auto target : own_targets_) {
        with_targets_gone_.holdings.come_back(target);
    }
    own_targets_.clear();
}

Holdings& DecisionView::at(std::size_t refused, Of numbers) {
    bring_back_own_targets();
    const engine::RefusalDecision& refusal = result_.refused[refused];
    if (numbers == Of::PodSets && !refusal.is_recomputed) {
        return before_.holdings;
    }
    if (numbers == Of::Shortages && refusal.kind == RefusalKind::DeferredFit) {
        advance(in_turn_, refused);
        return in_turn_.holdings;
    }
    advance(with_targets_gone_, refused);
    if (numbers == Of::Shortages) {
        for (const auto target : refusal.targets) {
            if (with_targets_gone_.holdings.leave(target)) {
                own_targets_.push_back(target);
            }
        }
    }
    return with_targets_gone_.holdings;
}

}  // namespace sluice::workload
