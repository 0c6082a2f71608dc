#include "engine/cycle/cycle.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace sluice::engine {
namespace {

bool is_about_flavors(RefusalKind kind) {
    return kind == RefusalKind::Assignment || kind == RefusalKind::NoLongerFits ||
           kind == RefusalKind::OverlappingTargets;
}

}  // namespace

Cycle::Cycle(State& state, Time now)
    : state_(state),
      now_(now),
      editor_(state, now),
      after_(state.tree_),
      fair_(state),
      candidates_(state, now),
      search_({state, after_, candidates_, victims_}) {}

// As upstream's schedule(): 1 take heads, 2 fix what the cycle sees, 3 nominate, 4 order, 5 process
// the entries one by one, 6 requeue those that were not admitted. Usage that entries add while the
// cycle runs is seen by later ones and rolled back at its end; only the admissions are then charged
// for good.
CycleResult Cycle::run() {
    take_heads();
    if (heads_.empty()) {
        return std::move(result_);
    }
    nominate();
    process();
    hold_admitted();
    requeue();
    return std::move(result_);
}

void Cycle::take_heads() {
    editor_.refresh();
    if (state_.blocked_until_ready_ && state_.not_ready_holders_ > 0) {
        return;
    }
    state_.blocked_until_ready_ = false;
    const WorkloadIndex next = std::exchange(state_.held_back_, WorkloadIndex{});
    NodeIndex queue_of_next;
    if (next.is_valid() && state_.bucket(next) == Bucket::Heap) {
        queue_of_next = editor_.cluster_queue_of(state_.workloads_[next.at()]);
    }
    std::vector<NodeIndex> ready;
    ready.reserve(state_.with_heap_->size());
    for (const auto& [name, index] : *state_.with_heap_) {
        if (state_.cluster_queues_[index.at()].active) {
            ready.push_back(index);
        }
    }
    heads_.reserve(ready.size());
    for (const auto index : ready) {
        if (index == queue_of_next) {
            editor_.pop(next);
            heads_.push_back(next);
            was_held_back_ = next;
        } else {
            heads_.push_back(editor_.pop_head(index));
        }
    }
    if (!heads_.empty()) {
        result_.cycle = ++state_.cycle_;
    }
}

void Cycle::process() {
    processed_.reserve(entries_.size());
    const auto take_turn = [this](CycleEntry& entry) {
        processed_.push_back(&entry);
        process(entry);
    };
    const auto held_back =
        std::find_if(entries_.begin(), entries_.end(), [this](const CycleEntry& entry) {
            return entry.workload == was_held_back_;
        });
    if (held_back != entries_.end()) {
        take_turn(*held_back);
    }
    order();
    while (!blocked_) {
        CycleEntry* entry = next_entry();
        if (entry == nullptr) {
            return;
        }
        take_turn(*entry);
    }
}

bool Cycle::overlaps(const CycleEntry& entry) const {
    return std::any_of(
        entry.targets.begin(),
        entry.targets.end(),
        [this](const PreemptionTarget& target) { return victims_.contains(target.workload); }
    );
}

UsageView& Cycle::after_evictions() {
    is_order_relevant_ =
        is_order_relevant_ || after_.is_order_relevant() || as_is().is_order_relevant();
    if (is_order_relevant_ && as_is_) {
        after_ = *as_is_;
        for (const auto victim : victims_in_order_) {
            after_.remove(held_by(state_, victim));
        }
        search_.usage_changed();
    }
    return after_;
}

void Cycle::evict(WorkloadIndex victim) {
    if (!as_is_) {
        as_is_ = after_;
    }
    const Demand held = held_by(state_, victim);
    after_.remove(held);
    search_.usage_changed(held.cluster_queue);
}

void Cycle::assume(const Demand& demand) {
    after_.add(demand);
    if (as_is_) {
        as_is_->add(demand);
    }
    search_.usage_changed(demand.cluster_queue);
}

void Cycle::clear_for(const CycleEntry& entry, UsageView& view) const {
    for (const auto& target : entry.targets) {
        // A replaced slice stands in front, and can be among the victims too.
        const bool is_repeated =
            &target != &entry.targets.front() && target.workload == entry.targets.front().workload;
        if (!is_repeated && !victims_.contains(target.workload)) {
            view.remove(held_by(state_, target.workload));
        }
    }
}

bool Cycle::fits(const CycleEntry& entry) {
    UsageView& view = after_evictions();
    const UsageView::Trial trial(view);
    clear_for(entry, view);
    return view.fits({.cluster_queue = entry.cluster_queue, .usages = entry.assignment.usage});
}

void Cycle::note_shortages(CycleEntry& entry, const UsageView& view) const {
    for (const auto& [pair, amount] : entry.assignment.usage) {
        const auto room = view.room(entry.cluster_queue, pair);
        const Amount free = max(Amount(), room.available);
        if (amount <= free) {
            continue;
        }
        FlavorRefusal& shortage = entry.refusal.shortages.emplace_back();
        shortage.at_borrowing_limit = room.bottleneck.is_borrowing_limit;
        shortage.is_choice = true;
        shortage.flavor = state_.flavor_of(pair);
        shortage.resource = state_.resource_of(pair);
        shortage.node = room.bottleneck.node;
        shortage.needed = amount - free;
        shortage.requested = amount;
        shortage.free = free;
        shortage.capacity = view.potential_available(entry.cluster_queue, pair);
    }
}

void Cycle::recompute_if_overlapping(CycleEntry& entry) {
    if (!state_.options_->gates.recompute_assignment_upon_overlap || !overlaps(entry)) {
        return;
    }
    // What it would get once the victims of others are gone, on the flavors that it was nominated
    // for.
    after_evictions();
    state_.workloads_.write(entry.workload.at()).last_assignment.reset();
    const Assignment nominated = std::exchange(entry.assignment, Assignment{});
    entry.targets.clear();
    find_assignment(entry, &nominated);
    if (entry.assignment.mode == AssignmentMode::Fit) {
        entry.assignment.mode = AssignmentMode::DeferredFit;
    }
    entry.refusal.is_recomputed = true;
}

void Cycle::refuse(CycleEntry& entry, WaitingReason reason, RefusalKind kind) {
    entry.refusal.reason = reason;
    entry.refusal.kind = kind;
}

void Cycle::skip(CycleEntry& entry, bool is_overlapping) {
    entry.skipped = true;
    entry.keep_progress = state_.options_->gates.flavor_fungibility_preserve_scan_progress;
    if (is_overlapping) {
        refuse(entry, WaitingReason::WaitingForQuota, RefusalKind::OverlappingTargets);
        return;
    }
    refuse(entry, WaitingReason::WaitingForQuota, RefusalKind::NoLongerFits);
    UsageView& view = after_evictions();
    const UsageView::Trial trial(view);
    clear_for(entry, view);
    note_shortages(entry, view);
}

void Cycle::process(CycleEntry& entry) {
    entry.refusal.admitted_before = static_cast<std::uint32_t>(result_.admitted.size());
    recompute_if_overlapping(entry);
    const Assignment& assignment = entry.assignment;
    if (assignment.mode == AssignmentMode::NoFit) {
        entry.requeue = RequeueReason::NoFit;
        refuse(entry, assignment.no_fit_reason, RefusalKind::Assignment);
        return;
    }
    if (assignment.mode == AssignmentMode::Preempt) {
        if (entry.targets.empty()) {
            entry.requeue = RequeueReason::PreemptionNoCandidates;
            refuse(entry, WaitingReason::WaitingForQuota, RefusalKind::Assignment);
            reserve_for_blocked(entry);
            return;
        }
        if (state_.options_->gates.preemption_gates &&
            state_.workloads_[entry.workload.at()].preemption_gated) {
            entry.requeue = RequeueReason::PreemptionGated;
            entry.keep_progress = false;
            refuse(entry, WaitingReason::AdmissionGated, RefusalKind::PreemptionGated);
            return;
        }
    }
    if (assignment.mode == AssignmentMode::DeferredFit) {
        entry.requeue = RequeueReason::PendingPreemption;
        entry.keep_progress = false;
        refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::DeferredFit);
        note_shortages(entry, as_is());
        entry.refusal.reserved = assignment.usage;
        assume({.cluster_queue = entry.cluster_queue, .usages = assignment.usage});
        return;
    }
    const bool is_overlapping = overlaps(entry);
    if (is_overlapping || !fits(entry)) {
        skip(entry, is_overlapping);
        return;
    }
    for (const auto& target : entry.targets) {
        if (victims_.insert(target.workload).second) {
            victims_in_order_.push_back(target.workload);
            evict(target.workload);
        }
    }
    assume({.cluster_queue = entry.cluster_queue, .usages = assignment.usage});
    spare_replaced(entry);
    if (assignment.mode == AssignmentMode::Preempt) {
        entry.refusal.reserved = assignment.usage;
        issue_preemptions(entry);
        return;
    }
    if (state_.options_->block_admission_until_pods_ready &&
        state_.not_ready_holders_ + result_.admitted.size() > 0) {
        // Upstream waits here, inside the cycle, and admits the entry when the wait is over. A pure
        // engine ends the cycle, and the entry goes first in the next one.
        blocked_ = true;
        state_.blocked_until_ready_ = true;
        state_.held_back_ = entry.workload;
        entry.skipped = true;
        refuse(entry, WaitingReason::WaitingForPodsReady, RefusalKind::WaitingForPodsReady);
        return;
    }
    admit(entry);
}

void Cycle::reserve_for_blocked(CycleEntry& entry) {
    const auto& policy = state_.cluster_queues_[entry.cluster_queue.at()].spec.preemption;
    const bool waits_for_evictions =
        state_.options_->gates.prioritize_preemptor_workloads && entry.is_preemptor;
    if (policy.reclaim_within_cohort == PreemptionPolicy::Any && !waits_for_evictions) {
        return;  // it can take the quota back whenever it wants
    }
    Usages reserved;
    for (const auto& usage : entry.assignment.usage) {
        const QuotaCell& cell = as_is().cell(entry.cluster_queue, usage.flavor_resource);
        Amount amount = usage.amount;
        if (entry.assignment.level == 0) {
            amount = max(Amount(), min(amount, cell.nominal - cell.usage));
        } else if (cell.borrowing_limit) {
            // Not clamped at 0, as upstream (pkg/scheduler/scheduler.go).
            amount = min(amount, cell.nominal + *cell.borrowing_limit - cell.usage);
        }
        reserved.push_back(Usage{.flavor_resource = usage.flavor_resource, .amount = amount});
    }
    assume({.cluster_queue = entry.cluster_queue, .usages = reserved});
    entry.refusal.reserved = std::move(reserved);
}

void Cycle::issue_preemptions(CycleEntry& entry) {
    entry.keep_progress = false;
    if (entry.targets.empty()) {  // the only victim was spared
        refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::Assignment);
        return;
    }
    for (const auto& target : entry.targets) {
        entry.victims.push_back(target.workload);
        const WorkloadRecord& victim = state_.workloads_[target.workload.at()];
        if (victim.holding->evicted) {
            continue;  // on its way out already; it counts all the same
        }
        newly_evicted_.push_back(target.workload);
        result_.preempted.push_back(PreemptionDecision{
            .victim = target.workload,
            .victim_cluster_queue = victim.holding->cluster_queue,
            .reason = target.reason,
            .preemptor = entry.workload,
            .preemptor_cluster_queue = entry.cluster_queue,
        });
    }
    entry.requeue = RequeueReason::PendingPreemption;
    entry.refusal.preemptions = static_cast<std::uint32_t>(entry.targets.size());
    refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::PendingPreemption);
}

void Cycle::admit(CycleEntry& entry) {
    entry.admitted = true;
    AdmissionDecision& decision = result_.admitted.emplace_back();
    decision.workload = entry.workload;
    decision.cluster_queue = entry.cluster_queue;
    decision.borrowing_level = entry.assignment.level;
    decision.replaces = entry.replaced;
    for (auto& choice : entry.assignment.pod_sets) {
        AssignedPodSet& assigned = decision.pod_sets.emplace_back();
        assigned.pod_set = choice.pod_set;
        assigned.count = choice.count;
        assigned.considered = std::move(choice.considered);
        for (const auto& flavor : choice.flavors) {
            const auto request =
                std::find_if(choice.requests.begin(), choice.requests.end(), [&](const Request& r) {
                    return r.resource == flavor.resource;
                });
            const bool is_requested = request != choice.requests.end();
            assigned.flavors.push_back(AssignedFlavor{
                .resource = flavor.resource,
                .flavor = flavor.flavor,
                .amount = is_requested ? std::optional(request->amount) : std::nullopt,
            });
        }
    }
}

void Cycle::hold_decided(
    Holding& holding, const PodSets& pod_sets, const AdmissionDecision& decision
) const {
    for (const auto& pod_set : decision.pod_sets) {
        const PodSetRecord& wanted = pod_sets[pod_set.pod_set];
        PodSetShare share{
            .name = pod_sets.size() > 1 ? wanted.name : std::string(),
            .assigned = pod_set.count,
            .left = wanted.count_after_reclaim(),
            .amounts = {},
        };
        for (const auto& flavor : pod_set.flavors) {
            share.amounts.push_back({
                .flavor_resource = state_.flavor_resource_of(flavor.flavor, flavor.resource),
                .amount = flavor.amount.value_or(Amount()),
            });
        }
        add_pod_set(holding, std::move(share), pod_sets.size() == 1);
    }
}

void Cycle::hold_admitted() {
    std::size_t next_admission = 0;  // result_.admitted is in the order of processed_
    for (CycleEntry* entry : processed_) {
        if (!entry->admitted) {
            continue;
        }
        WorkloadRecord& record = state_.workloads_.write(entry->workload.at());
        Holding holding;
        holding.cluster_queue = entry->cluster_queue;
        hold_decided(holding, record.pod_sets, result_.admitted[next_admission++]);
        holding.reserved_at = now_;
        record.queueable = false;
        record.assumed = true;
        record.reservation_shown = false;
        record.eviction_expected = false;
        record.pods_ready = false;
        record.last_assignment.reset();
        editor_.hold(entry->workload, CowPtr<Holding>::make(std::move(holding)));
        editor_.charge_admission(entry->workload);
    }
    for (const auto victim : newly_evicted_) {
        WorkloadRecord& record = state_.workloads_.write(victim.at());
        record.eviction_expected = true;
        record.eviction = ++state_.evictions_;
        record.holding.write().evicted = true;
    }
}

bool Cycle::requeues_immediately(const CycleEntry& entry) const {
    RequeueReason reason = entry.requeue;
    if (entry.skipped && reason == RequeueReason::Generic) {
        reason = RequeueReason::FailedAfterNomination;
    }
    const auto& queue = state_.cluster_queues_[entry.cluster_queue.at()];
    if (queue.spec.strategy == QueueingStrategy::StrictFIFO) {
        return reason != RequeueReason::NamespaceMismatch;
    }
    return reason == RequeueReason::FailedAfterNomination ||
           reason == RequeueReason::PendingPreemption;
}

void Cycle::move_findings(CycleEntry& entry) {
    RefusalDecision& refusal = entry.refusal;
    for (const auto& target : entry.targets) {
        refusal.targets.push_back(target.workload);
    }
    if (entry.replaced.is_valid()) {
        refusal.targets.push_back(entry.replaced);
    }
    move_findings(entry.assignment, refusal.pod_sets);
    if (entry.fewest_pods) {
        move_findings(*entry.fewest_pods, refusal.fewest_pods);
    }
}

void Cycle::move_findings(Assignment& assignment, std::vector<PodSetRefusal>& into) {
    for (auto& pod_set : assignment.pod_sets) {
        if (!pod_set.failed && pod_set.refusals.empty()) {
            continue;
        }
        for (auto& found : pod_set.refusals) {
            const FlavorChoice* choice = pod_set.find(found.resource);
            found.is_choice = choice != nullptr && choice->flavor == found.flavor;
        }
        into.push_back(PodSetRefusal{
            .pod_set = pod_set.pod_set,
            .flavors = std::move(pod_set.refusals),
            .skipped = std::move(pod_set.skipped),
        });
    }
}

void Cycle::requeue() {
    const auto send_back = [this](CycleEntry& entry) {
        WorkloadRecord& record = state_.workloads_.write(entry.workload.at());
        if (entry.refusal.kind == RefusalKind::WaitingForPodsReady) {
            // As if it had not been taken: it is to find the same flavors.
            if (entry.outdated != nullptr) {
                record.last_assignment = std::move(entry.outdated);
            }
        } else if (!entry.keep_progress) {
            record.last_assignment.reset();
        } else if (!entry.assignment.pod_sets.empty()) {
            LastAssignment last;
            last.generation = state_.tree_.generation(entry.cluster_queue);
            last.cycle = state_.cycle_;
            last.scheduling_class = record.scheduling_class;
            for (const auto& pod_set : entry.assignment.pod_sets) {
                auto& tried = last.pod_sets.emplace_back();
                for (const auto& choice : pod_set.flavors) {
                    tried.push_back({.resource = choice.resource, .index = choice.tried});
                }
            }
            record.last_assignment = CowPtr<LastAssignment>::make(std::move(last));
        }
        if (entry.requeue == RequeueReason::PendingPreemption) {
            editor_.set_preemptor(entry.cluster_queue, entry.workload, entry.victims);
        }
        entry.refusal.requeued = editor_.requeue(entry.workload, requeues_immediately(entry));
        entry.refusal.leaves_flavors_over =
            is_about_flavors(entry.refusal.kind) && entry.refusal.requeued == RequeuedTo::Heap &&
            record.last_assignment != nullptr && record.last_assignment->has_progress();
        const bool hopeless = entry.requeue == RequeueReason::NoFit ||
                              entry.requeue == RequeueReason::PreemptionNoCandidates;
        if (hopeless && entry.refusal.requeued == RequeuedTo::Inadmissible) {
            editor_.park_class(entry.cluster_queue, record.scheduling_class);
        }
        move_findings(entry);
        result_.refused.push_back(std::move(entry.refusal));
    };
    for (CycleEntry* entry : processed_) {
        if (!entry->admitted) {
            send_back(*entry);
        }
    }
    for (auto& entry : refused_early_) {
        send_back(entry);
    }
    if (blocked_) {
        // Heads that the cycle did not come to: as if they had not been taken.
        for (auto& entry : entries_) {
            WorkloadRecord& record = state_.workloads_.write(entry.workload.at());
            if (record.is_inflight) {
                if (entry.outdated != nullptr) {
                    record.last_assignment = std::move(entry.outdated);
                }
                editor_.take_from_queue(entry.workload);
                editor_.push_to_heap(entry.workload);
            }
        }
    }
}

}  // namespace sluice::engine
