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

Cycle::Cycle(const State& state, Time now, Recording recording)
    : state_(state),
      now_(now),
      explains_(recording == Recording::Explanations),
      after_(
          state.tree(),
          state.topologies(),
          {.is_strict = state.options().gates.strict_node_fit, .pods = state.pods_resource()}
      ),
      fair_(state),
      candidates_(state, now),
      search_({state, after_, candidates_, victims_}) {}

// As upstream's schedule(): 1 take heads, 2 fix what the cycle sees, 3 nominate, 4 order, 5 process
// the entries one by one, 6 requeue those that were not admitted. Usage that entries add while the
// cycle runs is seen by later ones; only the admissions are then charged for good, by commit().
CycleDecision Cycle::run() {
    take_second_passes();
    take_heads();
    return decide_heads();
}

CycleDecision Cycle::run_alone(WorkloadIndex workload) {
    is_alone_ = true;
    heads_.push_back(workload);
    decision_.result.cycle = state_.cycle() + 1;
    return decide_heads();
}

CycleDecision Cycle::decide_heads() {
    decision_.version = state_.version();
    decision_.now = now_;
    if (heads_.empty() && second_passes_.empty()) {
        return std::move(decision_);
    }
    nominate();
    process();
    settle();
    return std::move(decision_);
}

void Cycle::take_heads() {
    if (state_.waits_for_pods_ready()) {
        decision_.is_blocked = second_passes_.empty();
        decision_.blocks = true;
        decision_.held_back = state_.held_back();
        decision_.result.cycle = second_passes_.empty() ? 0 : state_.cycle() + 1;
        return;
    }
    const WorkloadIndex next = state_.held_back();
    NodeIndex queue_of_next;
    if (next.is_valid() && state_.bucket(next) == Bucket::Heap) {
        queue_of_next = state_.cluster_queue_of(state_.workload(next));
    }
    heads_.reserve(state_.queues_with_heap().size());
    for (const auto& [name, index] : state_.queues_with_heap()) {
        if (!state_.cluster_queue(index).active) {
            continue;
        }
        if (index == queue_of_next) {
            heads_.push_back(next);
            was_held_back_ = next;
        } else {
            heads_.push_back(state_.head(index));
        }
    }
    if (!heads_.empty() || !second_passes_.empty()) {
        decision_.result.cycle = state_.cycle() + 1;
    }
}

void Cycle::process() {
    processed_.reserve(entries_.size());
    const auto take_turn = [this](CycleEntry& entry) {
        processed_.push_back(&entry);
        entry.processed = true;
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

void Cycle::recompute_if_needed(CycleEntry& entry) {
    const Gates& gates = state_.options().gates;
    if (gates.recompute_assignment_upon_overlap && overlaps(entry)) {
        // The entry gets what is free once the other entries' victims are gone, on the flavors for
        // which it was nominated.
        after_evictions();
        recompute(entry);
        if (entry.assignment.mode == AssignmentMode::Fit) {
            entry.assignment.mode = AssignmentMode::DeferredFit;
        }
        return;
    }
    if (entry.assignment.leaves().empty() || !gates.tas_recompute_within_cycle ||
        !lacks_places_alone(entry)) {
        return;
    }
    // Victims are still there: their places are not free yet.
    if (!as_is_) {
        recompute(entry);
        return;
    }
    static const std::set<WorkloadIndex> kNone;
    PreemptionSearch present({state_, *as_is_, candidates_, kNone});
    active_search_ = &present;
    removed_ = &kNone;
    recompute(entry);
    active_search_ = &search_;
    removed_ = &victims_;
}

void Cycle::recompute(CycleEntry& entry) {
    entry.progress.reset();
    const Assignment nominated = std::exchange(entry.assignment, Assignment{});
    entry.targets.clear();
    find_assignment(entry, &nominated);
    entry.refusal.is_recomputed = true;
}

void Cycle::refuse(CycleEntry& entry, WaitingReason reason, RefusalKind kind) {
    entry.refusal.reason = reason;
    entry.refusal.kind = kind;
}

void Cycle::skip(CycleEntry& entry, bool is_overlapping) {
    entry.skipped = true;
    entry.keep_progress = state_.options().gates.flavor_fungibility_preserve_scan_progress;
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

bool Cycle::may_preempt(CycleEntry& entry) {
    if (entry.targets.empty()) {
        entry.requeue = RequeueReason::PreemptionNoCandidates;
        refuse(entry, WaitingReason::WaitingForQuota, RefusalKind::Assignment);
        reserve_for_blocked(entry);
        return false;
    }
    if (state_.options().gates.preemption_gates &&
        state_.workload(entry.workload).preemption_gated) {
        entry.requeue = RequeueReason::PreemptionGated;
        entry.keep_progress = false;
        refuse(entry, WaitingReason::AdmissionGated, RefusalKind::PreemptionGated);
        return false;
    }
    return true;
}

void Cycle::process(CycleEntry& entry) {
    entry.refusal.admitted_before = static_cast<std::uint32_t>(decision_.result.admitted.size());
    recompute_if_needed(entry);
    const Assignment& assignment = entry.assignment;
    if (assignment.mode != AssignmentMode::Fit && loses_node(state_, entry) &&
        state_.options().gates.tas_replacement_fail_fast) {
        entry.has_no_replacement = true;
        return;
    }
    if (assignment.mode == AssignmentMode::NoFit) {
        entry.requeue = RequeueReason::NoFit;
        refuse(entry, assignment.no_fit_reason, RefusalKind::Assignment);
        return;
    }
    if (assignment.mode == AssignmentMode::Preempt && !may_preempt(entry)) {
        return;
    }
    if (assignment.mode == AssignmentMode::DeferredFit) {
        entry.requeue = RequeueReason::PendingPreemption;
        entry.keep_progress = false;
        refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::DeferredFit);
        note_shortages(entry, as_is());
        note_reserved(entry, assignment.usage);
        assume(entry.demand());
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
    assume(entry.demand());
    spare_replaced(entry);
    if (assignment.mode == AssignmentMode::Preempt) {
        note_reserved(entry, assignment.usage);
        issue_preemptions(entry);
        return;
    }
    if (entry.holds_quota) {
        entry.admitted = true;
        return;
    }
    if (state_.options().block_admission_until_pods_ready &&
        state_.not_ready_holders() + decision_.result.admitted.size() > 0) {
        // Upstream waits here, inside the cycle, and admits the entry when the wait is over. A pure
        // engine ends the cycle, and the entry goes first in the next one.
        blocked_ = true;
        decision_.blocks = true;
        decision_.held_back = entry.workload;
        entry.skipped = true;
        refuse(entry, WaitingReason::WaitingForPodsReady, RefusalKind::WaitingForPodsReady);
        return;
    }
    admit(entry);
}

void Cycle::reserve_for_blocked(CycleEntry& entry) {
    const auto& policy = state_.cluster_queue(entry.cluster_queue).spec.preemption;
    const bool waits_for_evictions =
        state_.options().gates.prioritize_preemptor_workloads && entry.is_preemptor;
    if (policy.reclaim_within_cohort == PreemptionPolicy::Any && !waits_for_evictions) {
        return;  // it can take the quota back whenever it wants
    }
    Usages reserved;
    for (const auto& usage : entry.demand().usages) {
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
    assume(
        {.cluster_queue = entry.cluster_queue,
         .usages = reserved,
         .leaves = entry.assignment.leaves()}
    );
    note_reserved(entry, reserved);
}

void Cycle::issue_preemptions(CycleEntry& entry) {
    entry.keep_progress = false;
    if (entry.targets.empty()) {  // the only victim was spared
        refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::Assignment);
        return;
    }
    for (const auto& target : entry.targets) {
        entry.victims.push_back(target.workload);
        const WorkloadRecord& victim = state_.workload(target.workload);
        if (victim.holding->evicted) {
            continue;  // on its way out already; it counts all the same
        }
        decision_.evicted.push_back(target.workload);
        decision_.result.preempted.push_back(PreemptionDecision{
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
    AdmissionDecision& decision = decision_.result.admitted.emplace_back();
    decision.workload = entry.workload;
    decision.cluster_queue = entry.cluster_queue;
    decision.borrowing_level = entry.assignment.level;
    decision.replaces = entry.replaced;
    add_pod_sets(entry.assignment, decision.pod_sets);
}

void Cycle::add_pod_sets(Assignment& assignment, SmallVector<AssignedPodSet, 1>& into) const {
    for (auto& choice : assignment.pod_sets) {
        AssignedPodSet& assigned = into.emplace_back();
        assigned.pod_set = choice.pod_set;
        assigned.count = choice.count;
        assigned.considered = std::move(choice.considered);
        assigned.delayed = choice.delayed;
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
        if (assignment.places == nullptr) {
            continue;
        }
        for (const PlacedPodSet& placed : assignment.places->placed) {
            if (placed.pod_set == choice.pod_set && !placed.is_kept) {
                assigned.topology = placed.demand.flavor;
                assigned.leaves = placed.demand.leaves;
            }
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
        if (pod_set.leaves) {
            if (holding.placement == nullptr) {
                holding.placement = CowPtr<HeldPlacement>::make();
            }
            hold_leaves(holding.placement.write(), pod_set, *pod_set.leaves);
        }
    }
}

bool Cycle::requeues_immediately(const CycleEntry& entry) const {
    RequeueReason reason = entry.requeue;
    if (entry.skipped && reason == RequeueReason::Generic) {
        reason = RequeueReason::FailedAfterNomination;
    }
    const auto& queue = state_.cluster_queue(entry.cluster_queue);
    if (queue.spec.strategy == QueueingStrategy::StrictFIFO) {
        return reason != RequeueReason::NamespaceMismatch;
    }
    return reason == RequeueReason::FailedAfterNomination ||
           reason == RequeueReason::PendingPreemption;
}

void Cycle::move_findings(CycleEntry& entry) const {
    RefusalDecision& refusal = entry.refusal;
    move_findings(entry.assignment, refusal.pod_sets);
    if (!explains_) {
        return;
    }
    for (const auto& target : entry.targets) {
        refusal.targets.push_back(target.workload);
    }
    if (entry.replaced.is_valid()) {
        refusal.targets.push_back(entry.replaced);
    }
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

CowPtr<LastAssignment> Cycle::progress_of(const CycleEntry& entry) const {
    if (entry.refusal.kind == RefusalKind::WaitingForPodsReady) {
        // As if it had not been taken: it is to find the same flavors.
        return entry.outdated != nullptr ? entry.outdated : entry.progress;
    }
    if (!entry.keep_progress) {
        return {};
    }
    if (entry.assignment.pod_sets.empty()) {
        return entry.progress;
    }
    LastAssignment last;
    last.generation = state_.tree().generation(entry.cluster_queue);
    last.cycle = decision_.result.cycle;
    last.scheduling_class = state_.workload(entry.workload).scheduling_class;
    for (const auto& pod_set : entry.assignment.pod_sets) {
        auto& tried = last.pod_sets.emplace_back();
        for (const auto& choice : pod_set.flavors) {
            tried.push_back({.resource = choice.resource, .index = choice.tried});
        }
    }
    return CowPtr<LastAssignment>::make(std::move(last));
}

RequeuedTo Cycle::requeued_to(const CycleEntry& entry, bool has_progress) const {
    const WorkloadRecord& record = state_.workload(entry.workload);
    if (!record.queueable || !state_.cluster_queue_of(record).is_valid()) {
        return RequeuedTo::Dropped;
    }
    // Nothing can happen between the choice of the head and this within one cycle, so upstream's
    // comparison of queueInadmissibleCycle and popCycle is never true here.
    return state_.has_back_off_ended(record, now_) && (requeues_immediately(entry) || has_progress)
               ? RequeuedTo::Heap
               : RequeuedTo::Inadmissible;
}

HeadOutcome Cycle::admitted(const CycleEntry& entry, const AdmissionDecision& decision) const {
    Holding holding;
    holding.cluster_queue = entry.cluster_queue;
    hold_decided(holding, state_.workload(entry.workload).pod_sets, decision);
    holding.reserved_at = now_;
    HeadOutcome made{.workload = entry.workload, .cluster_queue = entry.cluster_queue};
    made.holding = CowPtr<Holding>::make(std::move(holding));
    return made;
}

HeadOutcome Cycle::sent_back(CycleEntry& entry) {
    HeadOutcome made{.workload = entry.workload, .cluster_queue = entry.cluster_queue};
    made.progress = progress_of(entry);
    const bool has_progress = made.progress != nullptr && made.progress->has_progress();
    made.requeued = requeued_to(entry, has_progress);
    made.is_preemptor = entry.requeue == RequeueReason::PendingPreemption;
    made.victims = std::move(entry.victims);
    const bool hopeless = entry.requeue == RequeueReason::NoFit ||
                          entry.requeue == RequeueReason::PreemptionNoCandidates;
    made.parks_class = hopeless && made.requeued == RequeuedTo::Inadmissible;
    entry.refusal.requeued = made.requeued;
    entry.refusal.leaves_flavors_over =
        is_about_flavors(entry.refusal.kind) && made.requeued == RequeuedTo::Heap && has_progress;
    move_findings(entry);
    decision_.result.refused.push_back(std::move(entry.refusal));
    return made;
}

void Cycle::settle() {
    decision_.heads.reserve(heads_.size());
    std::size_t next_admission = 0;  // those of the result are in the order of processed_
    for (CycleEntry* entry : processed_) {
        if (entry->holds_quota) {
            settle_second_pass(*entry);
            continue;
        }
        decision_.heads.push_back(
            entry->admitted ? admitted(*entry, decision_.result.admitted[next_admission++])
                            : sent_back(*entry)
        );
    }
    for (auto& entry : refused_early_) {
        if (entry.holds_quota) {
            settle_second_pass(entry);
            continue;
        }
        decision_.heads.push_back(sent_back(entry));
    }
    if (!blocked_) {
        settle_displaced();
    }
    for (const auto& entry : entries_) {
        if (!entry.processed && !entry.holds_quota) {
            // The cycle ended before it came to this one: as if it had not been taken.
            decision_.heads.push_back(HeadOutcome{
                .workload = entry.workload,
                .cluster_queue = entry.cluster_queue,
                .progress = state_.workload(entry.workload).last_assignment,
            });
        }
    }
}

}  // namespace sluice::engine
