#include "engine/preemption/preemption.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

void PreemptionSearch::usage_changed(NodeIndex cluster_queue) {
    changed_[context_.view.node(cluster_queue).root].push_back(cluster_queue);
    ++changes_;
    version_ = context_.view.version();
}

void PreemptionSearch::usage_changed() {
    version_ = context_.view.version();
    changed_.clear();
    changes_ = 0;
    shares_.clear();
    above_quota_.clear();
    asked_last_.reset();
}

template <class Known>
Known& PreemptionSearch::known(ByNeed<Known>& by_need, const PreemptionRequest& preemptor) {
    const NodeIndex root = context_.view.node(preemptor.cluster_queue).root;
    const auto& changed = changed_[root];
    const std::pair key(root, preemptor.needed);
    auto at = by_need.find(key);
    if (at == by_need.end()) {
        Known made(context_, root, preemptor.needed);
        at = by_need.emplace(key, std::pair(std::move(made), changed.size())).first;
    }
    auto& [found, changes] = at->second;
    for (; changes < changed.size(); ++changes) {
        found.update(changed[changes]);
    }
    return found;
}

bool PreemptionSearch::may_find_elsewhere(
    const PreemptionRequest& preemptor, PreemptionPolicy policy
) {
    const NodeIndex root = context_.view.node(preemptor.cluster_queue).root;
    if (policy == PreemptionPolicy::Never ||
        !context_.view.has_above_quota(root, preemptor.needed)) {
        return false;
    }
    // The first call for a root and a need walks the holders, because sorting them costs more. For
    // later calls, sorting pays off.
    if (policy == PreemptionPolicy::Any || !asked_.emplace(root, preemptor.needed).second) {
        return true;
    }
    const auto queues = context_.view.above_quota(root, preemptor.needed);
    return std::any_of(queues.begin(), queues.end(), [&](NodeIndex queue) {
        return queue != preemptor.cluster_queue &&
               has_holder(queue, preemptor, [&](const WorkloadRecord& holder) {
                   return allows(policy, context_.state.workload(preemptor.workload), holder);
               });
    });
}

template <class Is>
bool PreemptionSearch::has_holder(
    NodeIndex cluster_queue, const PreemptionRequest& preemptor, Is is
) const {
    const ClusterQueueRecord& queue = context_.state.cluster_queue(cluster_queue);
    return queue.active &&
           std::any_of(queue.holders.begin(), queue.holders.end(), [&](WorkloadIndex index) {
               const WorkloadRecord& holder = context_.state.workload(index);
               return is(holder) && !context_.removed.contains(index) &&
                      uses_any(holder.holding->usages, preemptor.needed);
           });
}

FairShareBounds& PreemptionSearch::share_bounds(const PreemptionRequest& preemptor) {
    return known(shares_, preemptor);
}

const QueuesAboveQuota& PreemptionSearch::queues_above_quota(const PreemptionRequest& preemptor) {
    return known(above_quota_, preemptor);
}

const std::vector<PreemptionTarget>& PreemptionSearch::find(const PreemptionRequest& preemptor) {
    if (context_.view.version() != version_) {
        usage_changed();
    }
    if (!asked_last_ || asked_last_->changes != changes_ || asked_last_->preemptor != preemptor) {
        if (!asked_last_) {
            asked_last_ = Asked{};
        }
        is_spared_by_priority_ = false;
        level_.reset();
        asked_last_->preemptor = preemptor;
        asked_last_->changes = changes_;
        asked_last_->targets = context_.state.options().fair_sharing
                                   ? find_fair_targets(*this, preemptor)
                                   : find_classical_targets(*this, preemptor);
        asked_last_->is_spared_by_priority = is_spared_by_priority_;
        asked_last_->level = level_;
    }
    is_spared_by_priority_ = asked_last_->is_spared_by_priority;
    level_ = asked_last_->level;
    return asked_last_->targets;
}

bool PreemptionSearch::may_help(NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount)
    const {
    const Preemption& policy = context_.state.cluster_queue(cluster_queue).spec.preemption;
    const bool while_borrowing =
        policy.borrow_within_cohort || (context_.state.options().fair_sharing &&
                                        policy.reclaim_within_cohort != PreemptionPolicy::Never);
    return while_borrowing || amount <= context_.view.cell(cluster_queue, needed).nominal ||
           context_.view.lowest_fit(cluster_queue, needed, amount).may_reclaim;
}

std::int32_t PreemptionSearch::level_of(const PreemptionRequest& preemptor) const {
    const Usage& usage = preemptor.usage.front();
    return context_.view.lowest_fit(preemptor.cluster_queue, usage.flavor_resource, usage.amount)
        .height;
}

void PreemptionSearch::note_level(const PreemptionRequest& preemptor) {
    // If the order of evictions matters, level_without() evicts the targets alone for it.
    if (preemptor.usage.size() == 1 && !context_.view.is_order_relevant()) {
        level_ = level_of(preemptor);
    }
}

std::int32_t PreemptionSearch::level_without(
    const std::vector<PreemptionTarget>& targets, const PreemptionRequest& preemptor
) {
    const UsageView::Trial trial(context_.view);
    for (const auto& target : targets) {
        evict(target.workload);
    }
    return level_of(preemptor);
}

PreemptionSearch::Possibility PreemptionSearch::simulate(
    WorkloadIndex workload, NodeIndex cluster_queue, FlavorResourceIndex needed, Amount amount
) {
    const PreemptionRequest preemptor{
        .workload = workload,
        .cluster_queue = cluster_queue,
        .usage = {Usage{.flavor_resource = needed, .amount = amount}},
        .needed = {needed},
    };
    const auto& targets = find(preemptor);
    if (targets.empty()) {
        return {
            .kind = Possibility::Kind::NoCandidates,
            .level = context_.view.lowest_fit(cluster_queue, needed, amount).height,
            .is_spared_by_priority = is_spared_by_priority_,
        };
    }
    if (!level_) {
        level_ = level_without(targets, preemptor);
    }
    const bool own =
        std::any_of(targets.begin(), targets.end(), [&](const PreemptionTarget& target) {
            return context_.state.workload(target.workload).holding->cluster_queue == cluster_queue;
        });
    return {
        .kind = own ? Possibility::Kind::Preempt : Possibility::Kind::Reclaim,
        .level = *level_,
        .is_spared_by_priority = is_spared_by_priority_,
    };
}

bool PreemptionSearch::fits(const PreemptionRequest& preemptor, Borrowing borrowing) const {
    const bool has_quota = std::ranges::all_of(preemptor.usage, [&](const Usage& usage) {
        if (borrowing == Borrowing::Forbidden &&
            context_.view.is_borrowing_with(
                preemptor.cluster_queue, usage.flavor_resource, usage.amount
            )) {
            return false;
        }
        return usage.amount <=
               max(Amount(),
                   context_.view.available(preemptor.cluster_queue, usage.flavor_resource));
    });
    return has_quota && (preemptor.to_place.empty() || has_places(preemptor));
}

bool PreemptionSearch::has_places(const PreemptionRequest& preemptor) const {
    WorkloadPlacer placer(
        context_.state, rooms(), preemptor.workload, context_.view.leaves(), Occupancy::Present
    );
    return placer.place(preemptor.to_place).fits();
}

void PreemptionSearch::evict(WorkloadIndex target) {
    context_.view.remove(held_by(context_.state, target));
}

void PreemptionSearch::bring_back(WorkloadIndex target) {
    context_.view.add(held_by(context_.state, target));
}

void PreemptionSearch::fill_back(
    const PreemptionRequest& preemptor,
    std::vector<PreemptionTarget>& targets,
    Borrowing borrowing,
    const std::function<bool(WorkloadIndex target)>& may_stay
) {
    // The last target made the preemptor fit, so it is needed. The other targets may not all be.
    for (std::size_t i = targets.size(); i-- > 1;) {
        const std::size_t at = i - 1;
        bring_back(targets[at].workload);
        if (fits(preemptor, borrowing) && may_stay(targets[at].workload)) {
            targets[at] = targets.back();
            targets.pop_back();
        } else {
            evict(targets[at].workload);
        }
    }
}

void PreemptionSearch::record_spared(
    NodeIndex cluster_queue, const PreemptionRequest& preemptor, PreemptionPolicy policy
) {
    if (is_spared_by_priority_ || policy == PreemptionPolicy::Never ||
        policy == PreemptionPolicy::Any) {
        return;
    }
    const WorkloadRecord& wants = context_.state.workload(preemptor.workload);
    const auto is_spared = [&](const WorkloadRecord& holder) {
        return !allows(policy, wants, holder);
    };
    if (!context_.candidates.has(cluster_queue)) {
        is_spared_by_priority_ = has_holder(cluster_queue, preemptor, is_spared);
        return;
    }
    const auto all = candidates_in(cluster_queue, preemptor).unordered();
    is_spared_by_priority_ = std::any_of(all.begin(), all.end(), [&](const Candidate& candidate) {
        return is_spared(context_.state.workload(candidate.workload)) &&
               !context_.removed.contains(candidate.workload);
    });
}

bool PreemptionSearch::within_subtree_quota(NodeIndex node, const FlavorResources& needed) const {
    return std::none_of(needed.begin(), needed.end(), [&](FlavorResourceIndex flavor_resource) {
        return context_.view.is_borrowing_with(node, flavor_resource, Amount());
    });
}

}  // namespace sluice::engine
