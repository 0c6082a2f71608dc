#include "engine/cycle.hpp"

#include "base/assert.hpp"
#include "engine/engine.hpp"
#include "engine/flavor_assigner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace sluice::engine {

// As upstream's schedule(): 1 take heads, 2 fix what the cycle sees, 3 nominate, 4 order, 5 process
// the entries one by one, 6 requeue those that were not admitted. Usage that entries add while the
// cycle runs is seen by later ones and rolled back at its end; only the admissions are then charged
// for good.
CycleResult run_cycle(State& state, Time now) {
    return Cycle(state, now).run();
}

Cycle::Cycle(State& state, Time now)
    : state_(state),
      now_(now),
      editor_(state, now),
      start_(state.tree_.mark()),
      fair_(state, state.tree_) {}

CycleResult Cycle::run() {
    take_heads();
    if (heads_.empty()) {
        return std::move(result_);
    }
    nominate();
    order();
    process();
    settle();
    requeue();
    return std::move(result_);
}

void Cycle::take_heads() {
    editor_.refresh();
    start_ = state_.tree_.mark();
    if (state_.blocked_until_ready_ && state_.not_ready_holders_ > 0) {
        return;
    }
    state_.blocked_until_ready_ = false;
    std::vector<NodeIndex> ready;
    ready.reserve(state_.with_heap_.size());
    for (const auto& [name, index] : state_.with_heap_) {
        if (state_.cluster_queues_[index.at()].active) {
            ready.push_back(index);
        }
    }
    heads_.reserve(ready.size());
    for (const auto index : ready) {
        heads_.push_back(editor_.pop_head(index));
    }
    if (!heads_.empty()) {
        result_.cycle = ++state_.cycle_;
    }
}

std::optional<RefusalKind> Cycle::refuse_early(WorkloadIndex workload, NodeIndex) const {
    const WorkloadRecord& record = state_.workloads_[workload.at()];
    if (record.checks_failed) {
        return RefusalKind::FailedChecks;
    }
    switch (state_.local_queues_[record.local_queue.at()].namespace_match) {
        case NamespaceMatch::Matches:
            break;
        case NamespaceMatch::Mismatch:
            return RefusalKind::NamespaceMismatch;
        case NamespaceMatch::NotFound:
            return RefusalKind::NamespaceNotFound;
    }
    if (!record.requests_valid) {
        return RefusalKind::InvalidRequests;
    }
    return std::nullopt;
}

void Cycle::nominate() {
    const std::set<WorkloadIndex> none_removed;
    PreemptionSearch search(state_, state_.tree_, none_removed, now_);
    entries_.reserve(heads_.size());
    for (const auto head : heads_) {
        CycleEntry& entry = entries_.emplace_back();
        entry.workload = head;
        entry.cluster_queue = editor_.cluster_queue_of(state_.workloads_[head.at()]);
        entry.refusal.workload = head;
        entry.refusal.cluster_queue = entry.cluster_queue;
        const auto& preemptor = state_.cluster_queues_[entry.cluster_queue.at()].preemptor;
        entry.is_preemptor = preemptor.workload == head &&
                             preemptor.generation == state_.workloads_[head.at()].generation;
        const auto early = refuse_early(head, entry.cluster_queue);
        if (early) {
            entry.refusal.kind = *early;
            entry.refusal.reason = *early == RefusalKind::FailedChecks
                                       ? WaitingReason::PendingEvaluation
                                       : WaitingReason::Misconfigured;
            entry.requeue = *early == RefusalKind::NamespaceMismatch
                                ? RequeueReason::NamespaceMismatch
                                : RequeueReason::Generic;
            refused_early_.push_back(std::move(entry));
            entries_.pop_back();
            continue;
        }
        drop_outdated_progress(head, entry.cluster_queue);
        find_assignment(entry, search, nullptr);
    }
}

void Cycle::drop_outdated_progress(WorkloadIndex workload, NodeIndex cluster_queue) {
    WorkloadRecord& record = state_.workloads_[workload.at()];
    if (record.last_assignment == nullptr) {
        return;
    }
    const LastAssignment& last = *record.last_assignment;
    bool outdated = state_.tree_.generation(cluster_queue) > last.generation;
    if (state_.options_.gates.flavor_fungibility_preserve_scan_progress) {
        if (last.scheduling_class != record.scheduling_class) {
            outdated = true;
        } else if (state_.cycle_ - last.cycle <= 1) {
            outdated = false;
        }
    }
    if (outdated) {
        record.last_assignment.reset();
    }
}

std::vector<PreemptionTarget> Cycle::find_targets(
    const CycleEntry& entry, PreemptionSearch& search, const Assignment& assignment
) const {
    Preemptor preemptor{
        .workload = entry.workload, .cluster_queue = entry.cluster_queue, .usage = {}, .needed = {}
    };
    if (entry.slice) {
        const auto& pod_sets = state_.workloads_[entry.workload.at()].pod_sets;
        preemptor.usage = entry.slice->growth(pod_sets, assignment);
    } else {
        // Upstream's search knows nothing of the pseudo-resource `pods`, unless pods are what is
        // short.
        std::copy_if(
            assignment.usage.begin(),
            assignment.usage.end(),
            std::back_inserter(preemptor.usage),
            [this](const Usage& usage) {
                return usage.amount != Amount() &&
                       state_.resource_of(usage.flavor_resource) != state_.pods_resource();
            }
        );
    }
    for (const auto& pod_set : assignment.pod_sets) {
        for (const auto& choice : pod_set.flavors) {
            if (choice.mode == AssignmentMode::Preempt) {
                preemptor.needed.push_back(choice.flavor_resource);
            }
        }
    }
    std::sort(preemptor.needed.begin(), preemptor.needed.end());
    preemptor.needed.erase(
        std::unique(preemptor.needed.begin(), preemptor.needed.end()), preemptor.needed.end()
    );
    return search.find(preemptor);
}

void Cycle::find_assignment(CycleEntry& entry, PreemptionSearch& search, const Assignment* pinned) {
    entry.slice = ReplacedSlice::find(state_, entry.workload, entry.cluster_queue, victims_);
    const ReplacedSlice* slice = entry.slice ? &*entry.slice : nullptr;
    FlavorAssigner assigner(state_, search, entry.workload, entry.cluster_queue, pinned, slice);
    Assignment full = assigner.assign();
    std::vector<PreemptionTarget> targets;
    if (full.mode == AssignmentMode::Preempt) {
        targets = find_targets(entry, search, full);
    }
    const bool good = full.mode == AssignmentMode::Fit || !targets.empty();
    if (!good && state_.options_.gates.partial_admission) {
        auto partial = find_partial(entry, search, pinned);
        if (partial) {
            entry.assignment = std::move(*partial);
            count_slice_as_free(entry);
            return;
        }
    }
    entry.assignment = std::move(full);
    entry.targets = std::move(targets);
    if (good) {
        count_slice_as_free(entry);
    }
}

void Cycle::count_slice_as_free(CycleEntry& entry) {
    // A target like others, in that its quota counts as free and nobody else may have it.
    if (entry.slice) {
        entry.targets.insert(
            entry.targets.begin(), PreemptionTarget{.workload = entry.slice->workload()}
        );
    }
}

void Cycle::spare_replaced(CycleEntry& entry) {
    const WorkloadRecord& record = state_.workloads_[entry.workload.at()];
    if (record.replaces == nullptr || !state_.options_.gates.elastic_jobs) {
        return;
    }
    // By its name alone, as upstream: also where it is no slice to this workload, because it holds
    // quota in another ClusterQueue, and was found as a victim there.
    const WorkloadIndex replaced = state_.find_workload(*record.replaces);
    const auto at = std::find_if(
        entry.targets.begin(),
        entry.targets.end(),
        [replaced](const PreemptionTarget& target) { return target.workload == replaced; }
    );
    if (at != entry.targets.end()) {
        entry.replaced = replaced;
        entry.targets.erase(at);
    }
}

std::optional<Assignment> Cycle::find_partial(
    CycleEntry& entry, PreemptionSearch& search, const Assignment* pinned
) {
    const auto& pod_sets = state_.workloads_[entry.workload.at()].pod_sets;
    std::vector<std::int64_t> deltas;
    std::int64_t range = 0;
    for (const auto& pod_set : pod_sets) {
        deltas.push_back(pod_set.min_count < 0 ? 0 : pod_set.count - pod_set.min_count);
        range += deltas.back();
    }
    if (range <= 0) {
        return std::nullopt;
    }
    const ReplacedSlice* slice = entry.slice ? &*entry.slice : nullptr;
    FlavorAssigner assigner(state_, search, entry.workload, entry.cluster_queue, pinned, slice);
    std::optional<Assignment> found;
    std::vector<PreemptionTarget> found_targets;
    std::int64_t found_at = -1;
    std::vector<std::int32_t> counts(pod_sets.size());
    const auto passes = [&](std::int64_t step) {
        for (std::size_t i = 0; i < pod_sets.size(); ++i) {
            counts[i] = pod_sets[i].count - static_cast<std::int32_t>(deltas[i] * step / range);
        }
        Assignment assignment = assigner.assign(&counts);
        std::vector<PreemptionTarget> targets;
        if (assignment.mode == AssignmentMode::Preempt) {
            targets = find_targets(entry, search, assignment);
        }
        if (assignment.mode != AssignmentMode::Fit && targets.empty()) {
            return false;
        }
        found = std::move(assignment);
        found_targets = std::move(targets);
        found_at = step;
        return true;
    };
    // The smallest reduction that passes, if the answers are monotonic; nothing makes sure that
    // they are.
    std::int64_t low = 0;
    std::int64_t high = range + 1;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (passes(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (!found || low != found_at) {
        return std::nullopt;
    }
    entry.targets = std::move(found_targets);
    return found;
}

void Cycle::process() {
    processed_.reserve(entries_.size());
    while (!blocked_) {
        CycleEntry* entry = next_entry();
        if (entry == nullptr) {
            return;
        }
        processed_.push_back(entry);
        process(*entry);
    }
}

bool Cycle::overlaps(const CycleEntry& entry) const {
    return std::any_of(
        entry.targets.begin(),
        entry.targets.end(),
        [this](const PreemptionTarget& target) { return victims_.contains(target.workload); }
    );
}

bool Cycle::fits(const CycleEntry& entry) {
    QuotaTree& tree = state_.tree_;
    const auto mark = tree.mark();
    std::set<WorkloadIndex> gone = victims_;
    for (const auto& target : entry.targets) {
        gone.insert(target.workload);
    }
    for (const auto index : gone) {
        const Holding& holding = *state_.workloads_[index.at()].holding;
        tree.assume_no_usage(holding.cluster_queue, holding.usages);
    }
    const auto& usage = entry.assignment.usage;
    const bool result = std::all_of(usage.begin(), usage.end(), [&](const Usage& u) {
        return u.amount <= max(Amount(), tree.available(entry.cluster_queue, u.flavor_resource));
    });
    tree.rollback(mark);
    return result;
}

bool Cycle::recompute_if_overlapping(CycleEntry& entry) {
    if (!state_.options_.gates.recompute_assignment_upon_overlap || !overlaps(entry)) {
        return fits(entry);
    }
    // What it would get once the victims of others are gone, on the flavors that it was nominated
    // for.
    QuotaTree& tree = state_.tree_;
    const auto mark = tree.mark();
    PreemptionSearch search(state_, tree, victims_, now_);
    for (const auto index : victims_) {
        search.evict(index);
    }
    state_.workloads_[entry.workload.at()].last_assignment.reset();
    const Assignment nominated = std::exchange(entry.assignment, Assignment{});
    entry.targets.clear();
    find_assignment(entry, search, &nominated);
    tree.rollback(mark);
    if (entry.assignment.mode == AssignmentMode::Fit) {
        entry.assignment.mode = AssignmentMode::DeferredFit;
    }
    return fits(entry);
}

void Cycle::refuse(CycleEntry& entry, WaitingReason reason, RefusalKind kind) {
    entry.refusal.reason = reason;
    entry.refusal.kind = kind;
}

void Cycle::process(CycleEntry& entry) {
    const bool fits_now = recompute_if_overlapping(entry);
    const Assignment& assignment = entry.assignment;
    QuotaTree& tree = state_.tree_;
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
        if (state_.options_.gates.preemption_gates &&
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
        tree.assume_usage(entry.cluster_queue, assignment.usage);
        return;
    }
    if (overlaps(entry) || !fits_now) {
        entry.skipped = true;
        entry.keep_progress = state_.options_.gates.flavor_fungibility_preserve_scan_progress;
        refuse(
            entry,
            WaitingReason::WaitingForQuota,
            overlaps(entry) ? RefusalKind::OverlappingTargets : RefusalKind::NoLongerFits
        );
        return;
    }
    for (const auto& target : entry.targets) {
        victims_.insert(target.workload);
    }
    tree.assume_usage(entry.cluster_queue, assignment.usage);
    spare_replaced(entry);
    if (assignment.mode == AssignmentMode::Preempt) {
        issue_preemptions(entry);
        return;
    }
    if (state_.options_.block_admission_until_pods_ready &&
        state_.not_ready_holders_ + result_.admitted.size() > 0) {
        // Upstream waits here, inside the cycle; a pure engine ends the cycle instead (spec 3.9).
        blocked_ = true;
        state_.blocked_until_ready_ = true;
        entry.skipped = true;
        refuse(entry, WaitingReason::WaitingForPodsReady, RefusalKind::WaitingForPodsReady);
        return;
    }
    admit(entry);
}

void Cycle::reserve_for_blocked(const CycleEntry& entry) {
    const auto& policy = state_.cluster_queues_[entry.cluster_queue.at()].spec.preemption;
    const bool waits_for_evictions =
        state_.options_.gates.prioritize_preemptor_workloads && entry.is_preemptor;
    if (policy.reclaim_within_cohort == PreemptionPolicy::Any && !waits_for_evictions) {
        return;  // it can take the quota back whenever it wants
    }
    QuotaTree& tree = state_.tree_;
    Usages reserved;
    for (const auto& usage : entry.assignment.usage) {
        const QuotaCell cell = tree.cell(entry.cluster_queue, usage.flavor_resource);
        Amount amount = usage.amount;
        if (entry.assignment.level == 0) {
            amount = max(Amount(), min(amount, cell.nominal - cell.usage));
        } else if (cell.borrowing_limit) {
            // Not clamped at 0, as upstream (spec 3.10.5).
            amount = min(amount, cell.nominal + *cell.borrowing_limit - cell.usage);
        }
        reserved.push_back(Usage{.flavor_resource = usage.flavor_resource, .amount = amount});
    }
    tree.assume_usage(entry.cluster_queue, reserved);
}

void Cycle::issue_preemptions(CycleEntry& entry) {
    entry.keep_progress = false;
    if (entry.targets.empty()) {  // the only victim was spared
        refuse(entry, WaitingReason::WaitingForPreemptedWorkloads, RefusalKind::Assignment);
        return;
    }
    for (const auto& target : entry.targets) {
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
    for (const auto& choice : entry.assignment.pod_sets) {
        AssignedPodSet& assigned = decision.pod_sets.emplace_back();
        assigned.pod_set = choice.pod_set;
        assigned.count = choice.count;
        for (const auto& flavor : choice.flavors) {
            const auto request =
                std::find_if(choice.requests.begin(), choice.requests.end(), [&](const Request& r) {
                    return r.resource == flavor.resource;
                });
            assigned.flavors.push_back(AssignedFlavor{
                .resource = flavor.resource, .flavor = flavor.flavor, .amount = request->amount
            });
        }
    }
}

void Cycle::hold_decided(
    Holding& holding, const PodSets& pod_sets, const AdmissionDecision& decision
) const {
    for (const auto& pod_set : decision.pod_sets) {
        const PodSetRecord& wanted = pod_sets[pod_set.pod_set];
        const std::int32_t left = wanted.count_after_reclaim();
        holding.count = std::min(left, pod_set.count);
        HeldPodSet held{.name = {}, .count = holding.count, .usages = {}};
        for (const auto& flavor : pod_set.flavors) {
            const auto pair = state_.flavor_resource_of(flavor.flavor, flavor.resource);
            const Amount amount = charged(flavor.amount, pod_set.count, left);
            add_to(holding.usages, pair, amount);
            if (pod_sets.size() > 1) {
                add_to(held.usages, pair, amount);
            }
        }
        if (pod_sets.size() > 1) {
            held.name = wanted.name;
            holding.pod_sets.push_back(std::move(held));
        }
    }
}

void Cycle::settle() {
    state_.tree_.rollback(start_);
    std::size_t next_admission = 0;  // result_.admitted is in the order of processed_
    for (CycleEntry* entry : processed_) {
        if (!entry->admitted) {
            continue;
        }
        WorkloadRecord& record = state_.workloads_[entry->workload.at()];
        auto holding = std::make_unique<Holding>();
        holding->cluster_queue = entry->cluster_queue;
        hold_decided(*holding, record.pod_sets, result_.admitted[next_admission++]);
        holding->reserved_at = now_;
        record.queueable = false;
        record.assumed = true;
        record.eviction_expected = false;
        record.pods_ready = false;
        record.last_assignment.reset();
        editor_.hold(entry->workload, std::move(holding));
        editor_.charge_admission(entry->workload);
    }
    for (const auto victim : newly_evicted_) {
        WorkloadRecord& record = state_.workloads_[victim.at()];
        record.eviction_expected = true;
        record.holding->evicted = true;
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

void Cycle::requeue() {
    const auto send_back = [this](CycleEntry& entry) {
        WorkloadRecord& record = state_.workloads_[entry.workload.at()];
        if (!entry.keep_progress) {
            record.last_assignment.reset();
        } else if (!entry.assignment.pod_sets.empty()) {
            auto last = std::make_unique<LastAssignment>();
            last->generation = state_.tree_.generation(entry.cluster_queue);
            last->cycle = state_.cycle_;
            last->scheduling_class = record.scheduling_class;
            for (const auto& pod_set : entry.assignment.pod_sets) {
                auto& tried = last->pod_sets.emplace_back();
                for (const auto& choice : pod_set.flavors) {
                    tried.push_back({.resource = choice.resource, .index = choice.tried});
                }
            }
            record.last_assignment = std::move(last);
        }
        if (entry.requeue == RequeueReason::PendingPreemption) {
            editor_.set_preemptor(entry.cluster_queue, entry.workload);
        }
        entry.refusal.requeued = editor_.requeue(entry.workload, requeues_immediately(entry));
        const bool hopeless = entry.requeue == RequeueReason::NoFit ||
                              entry.requeue == RequeueReason::PreemptionNoCandidates;
        if (hopeless && entry.refusal.requeued == RequeuedTo::Inadmissible) {
            editor_.park_class(entry.cluster_queue, record.scheduling_class);
        }
        for (const auto& pod_set : entry.assignment.pod_sets) {
            if (pod_set.failed || !pod_set.refusals.empty()) {
                entry.refusal.pod_sets.push_back(
                    PodSetRefusal{.pod_set = pod_set.pod_set, .flavors = pod_set.refusals}
                );
            }
        }
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
        for (const auto& entry : entries_) {
            if (state_.workloads_[entry.workload.at()].bucket == Bucket::Inflight) {
                editor_.take_from_queue(entry.workload);
                editor_.push_active(entry.workload);
            }
        }
    }
}

}  // namespace sluice::engine
