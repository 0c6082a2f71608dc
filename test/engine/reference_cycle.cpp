#include "engine/reference.hpp"

#include <algorithm>
#include <utility>

namespace sluice::reference {

using engine::QueueingStrategy;
using engine::RefusalKind;
using engine::RequeuedTo;
using engine::WaitingReason;

struct Cluster::Cycle {
    Snapshot snapshot;
    Rules rules;
    std::vector<int> victims;  // of entries processed so far, as they were chosen
    std::vector<std::string> newly_evicted;
    support::Outcome outcome;

    bool is_victim(int holder) const { return std::ranges::find(victims, holder) != victims.end(); }
};

std::vector<std::string> Cluster::pop_heads(const std::string& first) {
    std::vector<std::string> heads;
    for (const auto& [name, queue] : queues_) {
        const std::vector<std::string> waiting = active(name);
        if (is_active(queue) && !waiting.empty()) {
            const bool has_first = std::ranges::find(waiting, first) != waiting.end();
            heads.push_back(has_first ? first : waiting.front());
        }
    }
    return heads;
}

void Cluster::forget(std::map<std::string, Entry>::iterator workload) {
    if (held_back_ == workload->first) {
        held_back_.clear();
    }
    workloads_.erase(workload);
}

bool Cluster::refuse_early(Try& attempt) const {
    const engine::Workload& workload = *attempt.head.workload;
    const engine::LocalQueue& local_queue =
        local_queues_.at(workload.ns + "/" + workload.local_queue);
    support::NamedRefusal& refusal = attempt.refusal;
    refusal.reason = WaitingReason::Misconfigured;
    if (workload.checks_failed) {
        refusal.reason = WaitingReason::PendingEvaluation;
        refusal.kind = RefusalKind::FailedChecks;
    } else if (local_queue.namespace_match == engine::NamespaceMatch::Mismatch) {
        refusal.kind = RefusalKind::NamespaceMismatch;
        attempt.requeue = Requeue::NamespaceMismatch;
    } else if (local_queue.namespace_match == engine::NamespaceMatch::NotFound) {
        refusal.kind = RefusalKind::NamespaceNotFound;
    } else if (!workload.requests_valid) {
        refusal.kind = RefusalKind::InvalidRequests;
    } else {
        return false;
    }
    return true;
}

std::vector<Target> Cluster::targets_for(
    Cycle& cycle, const Head& head, const Assignment& assignment
) const {
    const PreemptionRequest request{
        .workload = head.workload,
        .cluster_queue = head.cluster_queue,
        .needed = assignment.pairs_needing_preemption(cycle.snapshot),
        .usage = head.slice == nullptr ? assignment.requested(cycle.snapshot)
                                       : assignment.requested_beyond_slice(cycle.snapshot, head),
    };
    return find_targets(cycle.snapshot, cycle.rules, request);
}

std::optional<std::pair<Assignment, std::vector<Target>>> Cluster::try_counts(
    Cycle& cycle, const Head& head, const std::vector<std::int32_t>& counts
) const {
    Assignment assignment = assign(cycle.snapshot, cycle.rules, head, counts);
    if (assignment.mode() == Mode::Fit) {
        return std::pair(std::move(assignment), std::vector<Target>());
    }
    if (assignment.mode() == Mode::Preempt) {
        std::vector<Target> targets = targets_for(cycle, head, assignment);
        if (!targets.empty()) {
            return std::pair(std::move(assignment), std::move(targets));
        }
    }
    return std::nullopt;
}

/// Partial admission when all pods do not get in: a binary search for the smallest reduction that
/// does (KEP-420).
std::pair<Assignment, std::vector<Target>> Cluster::assign_and_target(
    Cycle& cycle, const Head& head
) const {
    if (auto full = try_counts(cycle, head, {})) {
        return std::move(*full);
    }
    std::int64_t range = 0;
    bool reducible = false;
    for (const engine::PodSet& pod_set : head.workload->pod_sets) {
        range += pod_set.count - pod_set.min_count.value_or(pod_set.count);
        reducible = reducible || pod_set.count > pod_set.min_count.value_or(pod_set.count);
    }
    if (options_.gates.partial_admission && reducible && range > 0) {
        std::int64_t low = 0;
        std::int64_t high = range + 1;
        std::int64_t last_good = 0;
        std::optional<std::pair<Assignment, std::vector<Target>>> good;
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            std::vector<std::int32_t> counts;
            for (const engine::PodSet& pod_set : head.workload->pod_sets) {
                __extension__ const __int128 delta =
                    pod_set.count - pod_set.min_count.value_or(pod_set.count);
                counts.push_back(pod_set.count - std::int32_t(delta * middle / range));
            }
            if (auto result = try_counts(cycle, head, counts)) {
                good = std::move(result);
                last_good = middle;
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if (good && low == last_good) {
            return std::move(*good);
        }
    }
    return {assign(cycle.snapshot, cycle.rules, head, {}), {}};
}

void Cluster::nominate(Cycle& cycle, Try& attempt) const {
    auto& scan = attempt.head.scan;
    if (scan) {
        const bool preserve = options_.gates.flavor_fungibility_preserve_scan_progress;
        const std::uint64_t now_class = class_of(*attempt.head.workload, options_);
        const bool other_class =
            scan->scheduling_class != 0 && now_class != 0 && scan->scheduling_class != now_class;
        const bool recent = preserve && cycle_ - scan->cycle <= 1;
        const std::string& queue = cycle.snapshot.at(attempt.cluster_queue).name;
        if ((preserve && other_class) ||
            (!recent && cycle.rules.generations.at(queue) > scan->generation)) {
            scan.reset();
        }
    }
    const auto slice = find_replaced(cycle.snapshot, attempt);
    attempt.head.slice = slice ? &cycle.snapshot.holder(*slice) : nullptr;
    auto [assignment, targets] = assign_and_target(cycle, attempt.head);
    const Mode mode = assignment.mode();
    if (slice && (mode == Mode::Fit || !targets.empty())) {
        targets.insert(targets.begin(), Target{.holder = *slice});
    }
    attempt.scan = assignment.scan;
    attempt.assignment = std::move(assignment);
    attempt.targets = std::move(targets);
    explain(attempt);
}

void Cluster::explain(Try& attempt) {
    attempt.refusal.pod_sets.clear();
    for (const PodSetResult& result : attempt.assignment.pod_sets) {
        if (!result.failed && result.complaints.empty()) {
            continue;
        }
        support::NamedPodSetRefusal refusal{
            .name = attempt.head.workload->pod_sets[result.index].name, .reasons = {}
        };
        for (const Complaint& complaint : result.complaints) {
            const auto choice = result.choices.find(complaint.resource);
            engine::FlavorRefusal reason = complaint.refusal;
            reason.is_choice =
                choice != result.choices.end() && choice->second.flavor == complaint.flavor;
            refusal.reasons.push_back(
                support::describe(reason, complaint.flavor, complaint.resource, complaint.other)
            );
        }
        attempt.refusal.pod_sets.push_back(std::move(refusal));
    }
}

void Cluster::note_shortages(const Snapshot& snapshot, Try& attempt) {
    for (const auto& [pair, amount] : attempt.assignment.usage) {
        const Amount available = snapshot.available(attempt.cluster_queue, pair);
        if (amount <= available) {
            continue;
        }
        const auto [node, at_borrowing_limit] = snapshot.bottleneck(attempt.cluster_queue, pair);
        engine::FlavorRefusal shortage;
        shortage.at_borrowing_limit = at_borrowing_limit;
        shortage.is_choice = true;
        shortage.needed = amount - available;
        shortage.requested = amount;
        shortage.free = available;
        shortage.capacity = snapshot.potential(attempt.cluster_queue, pair);
        const auto& [flavor, resource] = snapshot.pairs[std::size_t(pair)];
        attempt.refusal.shortages.push_back(
            support::describe(shortage, flavor, resource, snapshot.at(node).name)
        );
    }
}

bool Cluster::fits_after(Cycle& cycle, Try& attempt) const {
    std::vector<int> gone = cycle.victims;
    for (const Target& target : attempt.targets) {
        if (std::ranges::find(gone, target.holder) == gone.end()) {
            gone.push_back(target.holder);
        }
    }
    const auto saved = cycle.snapshot.usage;
    for (const int holder : gone) {
        cycle.snapshot.remove_holder(holder);
    }
    bool fit = true;
    for (const auto& [pair, amount] : attempt.assignment.usage) {
        fit = fit && cycle.snapshot.available(attempt.cluster_queue, pair) >= amount;
    }
    note_shortages(cycle.snapshot, attempt);
    cycle.snapshot.usage = saved;
    return fit;
}

void Cluster::repeat_assignment(Cycle& cycle, Try& attempt) const {
    NominatedFlavors nominated;
    for (const PodSetResult& result : attempt.assignment.pod_sets) {
        auto& flavors = nominated[attempt.head.workload->pod_sets[result.index].name];
        for (const auto& [resource, choice] : result.choices) {
            flavors[resource] = choice.flavor;
        }
    }
    const auto usage = cycle.snapshot.usage;
    std::vector<std::vector<int>> holders;
    for (Node& node : cycle.snapshot.nodes) {
        holders.push_back(node.holders);
        std::erase_if(node.holders, [&](int holder) { return cycle.is_victim(holder); });
    }
    for (const int victim : cycle.victims) {
        cycle.snapshot.remove_holder(victim);
    }
    attempt.head.scan.reset();
    attempt.head.nominated = std::move(nominated);
    nominate(cycle, attempt);
    attempt.head.nominated.reset();
    for (std::size_t i = 0; i < holders.size(); ++i) {
        cycle.snapshot.nodes[i].holders = holders[i];
    }
    cycle.snapshot.usage = usage;
    attempt.assignment.deferred = attempt.assignment.mode() == Mode::Fit;
}

void Cluster::reserve(Cycle& cycle, const Try& attempt) const {
    const int node = attempt.cluster_queue;
    const engine::ClusterQueue& queue = *cycle.snapshot.at(node).cluster_queue;
    const bool always_reclaims =
        queue.preemption.reclaim_within_cohort == engine::PreemptionPolicy::Any;
    if (always_reclaims &&
        !(options_.gates.prioritize_preemptor_workloads && attempt.is_preemptor)) {
        return;
    }
    Quantities reserved;
    for (const auto& [pair, amount] : attempt.assignment.usage) {
        const engine::ResourceQuota& limits = cycle.snapshot.limits(node, pair);
        const Amount used = cycle.snapshot.used(node, pair);
        if (attempt.assignment.level == 0) {
            reserved[pair] = max(Amount(), min(amount, limits.nominal - used));
        } else if (!limits.borrowing_limit) {
            reserved[pair] = amount;
        } else {
            reserved[pair] = min(amount, limits.nominal + *limits.borrowing_limit - used);
        }
    }
    cycle.snapshot.add(node, reserved);
}

/// The slice is no victim, also where it was not found as a slice, since it holds quota in another
/// ClusterQueue.
void Cluster::spare_replaced(const Cycle& cycle, Try& attempt) const {
    const engine::Workload& workload = *attempt.head.workload;
    for (auto at = attempt.targets.begin(); at != attempt.targets.end(); ++at) {
        const std::string& key = cycle.snapshot.holder(at->holder).key;
        if (options_.gates.elastic_jobs && may_replace(workload, key)) {
            attempt.replaced = key;
            attempt.targets.erase(at);
            return;
        }
    }
}

void Cluster::issue_preemptions(Cycle& cycle, Try& attempt) {
    bool some_go = false;
    for (const Target& target : attempt.targets) {
        const Holder& holder = cycle.snapshot.holder(target.holder);
        if (holder.evicted && !workloads_.at(holder.key).evicting) {
            some_go = true;
            continue;
        }
        attempt.undecided.insert(holder.key);
        if (holder.evicted) {
            continue;
        }
        cycle.newly_evicted.push_back(holder.key);
        cycle.outcome.preempted.push_back({
            .victim = holder.key,
            .cluster_queue = cycle.snapshot.at(holder.cluster_queue).name,
            .reason = target.reason,
            .preemptor = attempt.key,
        });
    }
    if (some_go) {
        attempt.undecided.clear();
    }
    attempt.scan.reset();
    attempt.refusal.reason = WaitingReason::WaitingForPreemptedWorkloads;
    if (attempt.targets.empty()) {
        attempt.refusal.kind = RefusalKind::Assignment;  // the only victim was spared
        return;
    }
    attempt.requeue = Requeue::PendingPreemption;
    attempt.refusal.kind = RefusalKind::PendingPreemption;
    attempt.refusal.preemptions = std::uint32_t(attempt.targets.size());
}

void Cluster::process(Cycle& cycle, Try& attempt) {
    attempt.processed = true;
    const auto overlaps = [&] {
        return std::any_of(attempt.targets.begin(), attempt.targets.end(), [&](const Target& t) {
            return cycle.is_victim(t.holder);
        });
    };
    if (overlaps() && options_.gates.recompute_assignment_upon_overlap) {
        repeat_assignment(cycle, attempt);
    }
    const bool fit = fits_after(cycle, attempt);
    const Mode mode = attempt.assignment.mode();
    const std::vector<std::string> shortages = std::exchange(attempt.refusal.shortages, {});
    const auto refuse = [&](WaitingReason reason, RefusalKind kind, Requeue requeue) {
        attempt.refusal.reason = reason;
        attempt.refusal.kind = kind;
        attempt.requeue = requeue;
    };
    const auto skip = [&](RefusalKind kind) {
        refuse(WaitingReason::WaitingForQuota, kind, Requeue::FailedAfterNomination);
        if (!options_.gates.flavor_fungibility_preserve_scan_progress) {
            attempt.scan.reset();
        }
    };
    if (mode == Mode::NoFit) {
        refuse(
            attempt.assignment.no_fit_reason.value_or(WaitingReason::Unspecified),
            RefusalKind::Assignment,
            Requeue::NoFit
        );
    } else if (mode == Mode::Preempt && attempt.targets.empty()) {
        refuse(
            WaitingReason::WaitingForQuota, RefusalKind::Assignment, Requeue::PreemptionNoCandidates
        );
        reserve(cycle, attempt);
    } else if (mode == Mode::Preempt && options_.gates.preemption_gates &&
               attempt.head.workload->preemption_gated) {
        refuse(
            WaitingReason::AdmissionGated, RefusalKind::PreemptionGated, Requeue::PreemptionGated
        );
        attempt.scan.reset();
    } else if (mode == Mode::DeferredFit) {
        refuse(
            WaitingReason::WaitingForPreemptedWorkloads,
            RefusalKind::DeferredFit,
            Requeue::PendingPreemption
        );
        attempt.scan.reset();
        note_shortages(cycle.snapshot, attempt);
        cycle.snapshot.add(attempt.cluster_queue, attempt.assignment.usage);
    } else if (overlaps()) {
        skip(RefusalKind::OverlappingTargets);
    } else if (!fit) {
        skip(RefusalKind::NoLongerFits);
        attempt.refusal.shortages = shortages;
    } else {
        for (const Target& target : attempt.targets) {
            if (!cycle.is_victim(target.holder)) {
                cycle.victims.push_back(target.holder);
            }
        }
        cycle.snapshot.add(attempt.cluster_queue, attempt.assignment.usage);
        spare_replaced(cycle, attempt);
        if (mode == Mode::Preempt) {
            issue_preemptions(cycle, attempt);
        } else if (options_.block_admission_until_pods_ready &&
                   not_ready() + cycle.outcome.admitted.size() > 0) {
            blocked_ = true;
            held_back_ = attempt.key;
            refuse(
                WaitingReason::WaitingForPodsReady,
                RefusalKind::WaitingForPodsReady,
                Requeue::FailedAfterNomination
            );
        } else {
            admit(cycle, attempt);
        }
    }
}

void Cluster::admit(Cycle& cycle, Try& attempt) {
    const engine::Workload& workload = *attempt.head.workload;
    support::NamedAdmission admission{
        .workload = attempt.key,
        .cluster_queue = cycle.snapshot.at(attempt.cluster_queue).name,
        .pod_sets = {},
        .borrowing_level = attempt.assignment.level,
        .replaces = attempt.replaced,
    };
    for (const PodSetResult& result : attempt.assignment.pod_sets) {
        support::NamedPodSet pod_set{
            .name = workload.pod_sets[result.index].name, .count = result.count, .flavors = {}
        };
        for (const auto& [resource, choice] : result.choices) {
            auto& flavor = pod_set.flavors.emplace_back(resource, choice.flavor, std::nullopt);
            if (result.requests.contains(resource)) {
                flavor.amount = result.requests.at(resource).value();
            }
        }
        admission.pod_sets.push_back(std::move(pod_set));
    }
    cycle.outcome.admitted.push_back(std::move(admission));
    attempt.admitted = true;
}

void Cluster::requeue(Cycle& cycle, Try& attempt) {
    Entry& entry = workloads_.at(attempt.key);
    Queue& queue = queues_.at(entry.queued_in);
    const bool strict = queue.object.strategy == QueueingStrategy::StrictFIFO;
    if (attempt.requeue == Requeue::PendingPreemption) {
        if (queue.preemptor && queue.preemptor->undecided.empty()) {
            queue.preemptor_before = queue.preemptor;
        }
        queue.preemptor = Slot{attempt.key, entry.object.generation, !strict, attempt.undecided};
    }
    bool immediate = false;
    if (strict) {
        immediate = attempt.requeue != Requeue::NamespaceMismatch;
    } else {
        immediate = attempt.requeue == Requeue::FailedAfterNomination ||
                    attempt.requeue == Requeue::PendingPreemption;
    }
    if (attempt.refusal.kind != RefusalKind::WaitingForPodsReady) {  // it finds the same again
        entry.scan = attempt.scan;
    }
    const bool progress = entry.scan && entry.scan->has_progress();
    const bool to_heap = is_due(entry, cycle.rules.now) && (immediate || progress);
    entry.active = to_heap;
    attempt.refusal.workload = attempt.key;
    attempt.refusal.cluster_queue = queue.object.name;
    attempt.refusal.requeued = to_heap ? RequeuedTo::Heap : RequeuedTo::Inadmissible;
    const std::uint64_t scheduling_class = class_of(entry.object, options_);
    const bool parks =
        attempt.requeue == Requeue::NoFit || attempt.requeue == Requeue::PreemptionNoCandidates;
    if (to_heap || strict || scheduling_class == 0 || !parks) {
        return;
    }
    queue.parked.insert(scheduling_class);
    for (const std::string& key : active(queue.object.name)) {
        Entry& other = workloads_.at(key);
        if (class_of(other.object, options_) == scheduling_class) {
            other.active = false;
        }
    }
}

void Cluster::settle(Cycle& cycle) {
    for (const std::string& victim : cycle.newly_evicted) {
        workloads_.at(victim).evicting = true;
    }
    for (const support::NamedAdmission& admission : cycle.outcome.admitted) {
        engine::QuotaReservation reservation;
        reservation.cluster_queue = admission.cluster_queue;
        reservation.reserved_at = cycle.rules.now;
        for (const support::NamedPodSet& pod_set : admission.pod_sets) {
            engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count};
            for (const support::NamedAssignment& flavor : pod_set.flavors) {
                assigned.resources.push_back(
                    {flavor.resource, flavor.flavor, Amount(flavor.amount.value_or(0))}
                );
            }
            reservation.pod_sets.push_back(std::move(assigned));
        }
        Entry& entry = workloads_.at(admission.workload);
        take_out(admission.workload);
        entry.assumed = std::move(reservation);
        entry.written = false;
        entry.outstanding = true;
        entry.shown = false;
        charge_penalty(admission.workload);
    }
}

support::Outcome Cluster::run_cycle(Time now) {
    if (blocked_ && not_ready() > 0) {
        return {};
    }
    blocked_ = false;
    const std::string held_back = std::exchange(held_back_, {});
    const std::vector<std::string> heads = pop_heads(held_back);
    if (heads.empty()) {
        return {};
    }
    ++cycle_;
    Cycle cycle;
    cycle.snapshot = make_snapshot();
    cycle.rules = {&options_, &flavors_, &shapes_, cycle_, now, {}};
    for (const auto& [name, queue] : queues_) {
        cycle.rules.generations[name] = queue.generation;
    }
    cycle.outcome.cycle = cycle_;
    std::vector<Try> tries;
    std::vector<Try> refused;
    for (const std::string& key : heads) {
        const Entry& entry = workloads_.at(key);
        const Queue& queue = queues_.at(entry.queued_in);
        Try attempt;
        attempt.key = key;
        attempt.cluster_queue = cycle.snapshot.cluster_queues.at(entry.queued_in);
        attempt.head.workload = &entry.object;
        attempt.head.cluster_queue = attempt.cluster_queue;
        attempt.head.totals = totals_of(entry.object, options_);
        attempt.head.scan = entry.scan;
        attempt.scan = entry.scan;
        attempt.is_preemptor = queue.preemptor && queue.preemptor->workload == key &&
                               queue.preemptor->generation == entry.object.generation;
        if (refuse_early(attempt)) {
            refused.push_back(std::move(attempt));
        } else {
            nominate(cycle, attempt);
            tries.push_back(std::move(attempt));
        }
    }
    std::vector<Try*> processed;
    const auto take_turn = [&](Try& attempt) {
        process(cycle, attempt);
        processed.push_back(&attempt);
    };
    std::set<std::size_t> left;
    for (std::size_t i = 0; i < tries.size(); ++i) {
        left.insert(i);
        if (tries[i].key == held_back) {
            take_turn(tries[i]);
            left.erase(i);
        }
    }
    if (options_.fair_sharing) {
        while (!blocked_) {
            const auto next = fair_next(cycle.snapshot, tries, left);
            if (!next) {
                break;
            }
            left.erase(*next);
            take_turn(tries[*next]);
        }
    } else {
        for (const std::size_t i : classical_order(tries)) {
            if (!blocked_ && left.contains(i)) {
                take_turn(tries[i]);
            }
        }
    }
    // Where the cycle ended early, the heads that it did not come to are as if not taken.
    for (Try* attempt : processed) {
        if (!attempt->admitted) {
            requeue(cycle, *attempt);
            cycle.outcome.refused.push_back(attempt->refusal);
        }
    }
    for (Try& attempt : refused) {
        requeue(cycle, attempt);
        cycle.outcome.refused.push_back(attempt.refusal);
    }
    settle(cycle);
    sort_outcome(cycle.outcome);
    return cycle.outcome;
}

}  // namespace sluice::reference
