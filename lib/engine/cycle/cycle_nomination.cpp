// The nomination of a cycle: which flavors each head would take, and whose eviction it needs for
// that.
#include "engine/cycle/cycle.hpp"
#include "engine/flavors/flavor_assigner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::engine {
namespace {

/// The part step/range of `whole`, rounded down. The product may have more than 64 bits.
std::int32_t part_of(std::int64_t whole, std::int64_t step, std::int64_t range) {
    __extension__ using Wide = __int128;
    return static_cast<std::int32_t>(Wide{whole} * step / range);
}

}  // namespace

std::optional<RefusalKind> Cycle::refuse_early(const CycleEntry& entry) const {
    const WorkloadRecord& record = state_.workload(entry.workload);
    if (record.checks_failed) {
        return RefusalKind::FailedChecks;
    }
    if (!state_.cluster_queue(entry.cluster_queue).active) {
        return RefusalKind::InactiveClusterQueue;
    }
    switch (state_.local_queue(record.local_queue).namespace_match) {
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
    entries_.reserve(second_passes_.size() + heads_.size());
    std::vector<WorkloadIndex> all = second_passes_;
    all.insert(all.end(), heads_.begin(), heads_.end());
    for (const auto head : all) {
        CycleEntry& entry = entries_.emplace_back();
        entry.workload = head;
        entry.holds_quota = state_.workload(head).holding != nullptr;
        entry.cluster_queue = entry.holds_quota ? state_.workload(head).holding->cluster_queue
                                                : state_.cluster_queue_of(state_.workload(head));
        if (!is_alone_) {
            entry.progress = state_.workload(head).last_assignment;
        }
        entry.refusal.workload = head;
        entry.refusal.cluster_queue = entry.cluster_queue;
        const auto& preemptor = state_.cluster_queue(entry.cluster_queue).preemptor;
        entry.is_preemptor =
            preemptor.workload == head && preemptor.generation == state_.workload(head).generation;
        const auto early = refuse_early(entry);
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
        if (is_progress_outdated(entry)) {
            entry.outdated = std::move(entry.progress);
        }
        find_assignment(entry, nullptr);
    }
}

bool Cycle::is_progress_outdated(const CycleEntry& entry) const {
    if (entry.progress == nullptr) {
        return false;
    }
    const LastAssignment& last = *entry.progress;
    if (state_.options().gates.flavor_fungibility_preserve_scan_progress) {
        if (last.scheduling_class != state_.workload(entry.workload).scheduling_class) {
            return true;
        }
        if (decision_.result.cycle - last.cycle <= 1) {
            return false;
        }
    }
    return state_.tree().generation(entry.cluster_queue) > last.generation;
}

std::vector<PreemptionTarget> Cycle::find_targets(
    const CycleEntry& entry, const Assignment& assignment
) {
    PreemptionRequest preemptor{
        .workload = entry.workload,
        .cluster_queue = entry.cluster_queue,
        .usage = {},
        .needed = {},
        .to_place = assignment.to_place(),
        .spared = {},
    };
    if (entry.slice) {
        const bool keeps_places = std::ranges::any_of(
            assignment.to_place(), [](const PodSetToPlace& pods) { return !pods.kept.empty(); }
        );
        preemptor.spared = keeps_places ? entry.slice->workload() : WorkloadIndex{};
        const auto& pod_sets = state_.workload(entry.workload).pod_sets;
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
    return active_search_->find(preemptor);
}

FlavorAssigner Cycle::assigner_for(const CycleEntry& entry, const Assignment* pinned) {
    return {
        state_,
        *active_search_,
        entry.workload,
        entry.cluster_queue,
        entry.progress == nullptr ? nullptr : &*entry.progress,
        pinned,
        entry.slice ? &*entry.slice : nullptr,
        explains_
    };
}

void Cycle::find_assignment(CycleEntry& entry, const Assignment* pinned) {
    entry.slice = ReplacedSlice::find(state_, entry.workload, entry.cluster_queue, *removed_);
    entry.fewest_pods.reset();
    FlavorAssigner assigner = assigner_for(entry, pinned);
    Assignment full = assigner.assign();
    std::vector<PreemptionTarget> targets;
    if (full.mode == AssignmentMode::Preempt) {
        targets = find_targets(entry, full);
    }
    const bool good = full.mode == AssignmentMode::Fit || !targets.empty();
    if (!good && state_.options().gates.partial_admission) {
        auto partial = find_partial(entry, pinned);
        if (partial) {
            entry.fewest_pods.reset();
            entry.assignment = std::move(*partial);
            count_slice_as_free(entry);
            reserve_places(entry, assigner);
            return;
        }
    }
    entry.assignment = std::move(full);
    entry.targets = std::move(targets);
    if (good) {
        count_slice_as_free(entry);
    }
    reserve_places(entry, assigner);
}

void Cycle::reserve_places(CycleEntry& entry, FlavorAssigner& assigner) {
    if (entry.assignment.mode != AssignmentMode::Preempt || entry.assignment.to_place().empty() ||
        loses_node(state_, entry)) {
        return;
    }
    if (entry.targets.empty()) {
        // Nobody can be evicted for it yet. Its places are kept, so that none that comes after it
        // is admitted there to be evicted for it.
        assigner.place_again(
            entry.assignment, active_search_->view().leaves(), Occupancy::Empty, KeptPods::Counted
        );
        return;
    }
    UsageView& view = active_search_->view();
    const UsageView::Trial trial(view);
    for (const auto& target : entry.targets) {
        view.remove(held_by(state_, target.workload));
    }
    // A replaced slice is one of the targets.
    assigner.place_again(
        entry.assignment,
        view.leaves(),
        Occupancy::Present,
        entry.slice ? KeptPods::Removed : KeptPods::Counted
    );
}

void Cycle::count_slice_as_free(CycleEntry& entry) {
    // A target like others, in that its quota counts as free and no other workload may have it.
    if (entry.slice) {
        entry.targets.insert(
            entry.targets.begin(), PreemptionTarget{.workload = entry.slice->workload()}
        );
    }
}

void Cycle::spare_replaced(CycleEntry& entry) {
    const WorkloadRecord& record = state_.workload(entry.workload);
    if (record.replaces == nullptr || !state_.options().gates.elastic_jobs) {
        return;
    }
    // As upstream also if the slice holds quota in another ClusterQueue and was found as a victim
    // there.
    const WorkloadIndex replaced = state_.find_workload(*record.replaces);
    if (!replaced.is_valid() || !are_slices_of_one_job(record, state_.workload(replaced))) {
        return;
    }
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

std::optional<Assignment> Cycle::find_partial(CycleEntry& entry, const Assignment* pinned) {
    const auto& pod_sets = state_.workload(entry.workload).pod_sets;
    std::vector<std::int64_t> deltas;
    std::int64_t range = 0;
    for (const auto& pod_set : pod_sets) {
        deltas.push_back(
            pod_set.min_count < 0 ? 0 : std::int64_t{pod_set.count} - pod_set.min_count
        );
        range += deltas.back();
    }
    if (range <= 0) {
        return std::nullopt;
    }
    FlavorAssigner assigner = assigner_for(entry, pinned);
    std::optional<Assignment> found;
    std::vector<PreemptionTarget> found_targets;
    std::int64_t found_at = -1;
    std::vector<std::int32_t> counts(pod_sets.size());
    const auto passes = [&](std::int64_t step) {
        for (std::size_t i = 0; i < pod_sets.size(); ++i) {
            counts[i] = pod_sets[i].count - part_of(deltas[i], step, range);
        }
        Assignment assignment = assigner.assign(&counts);
        std::vector<PreemptionTarget> targets;
        if (assignment.mode == AssignmentMode::Preempt) {
            targets = find_targets(entry, assignment);
        }
        if (assignment.mode != AssignmentMode::Fit && targets.empty()) {
            if (step == range && explains_) {
                entry.fewest_pods = std::move(assignment);
            }
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

}  // namespace sluice::engine
