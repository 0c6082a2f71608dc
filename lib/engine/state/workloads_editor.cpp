#include "engine/state/workloads_editor.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {
namespace {

constexpr Duration kRefusedDelay = std::chrono::seconds(1);
constexpr std::uint8_t kRefusedDoublings = 6;

void count_refusal(WorkloadRecord& workload) {
    workload.refused_admissions =
        std::min<std::uint8_t>(workload.refused_admissions + 1, kRefusedDoublings);
}

bool frees_quota(const Usages& before, const Usages& after) {
    return std::any_of(before.begin(), before.end(), [&after](const Usage& usage) {
        return amount_of(after, usage.flavor_resource) < usage.amount;
    });
}

CowPtr<std::string> to_record(const std::string& text) {
    return text.empty() ? CowPtr<std::string>() : CowPtr<std::string>::make(text);
}

}  // namespace

std::uint64_t WorkloadsEditor::class_of(const Workload& workload) const {
    return data_.options->gates.scheduling_equivalence_hashing ? workload.scheduling_class : 0;
}

template <class PodSetRecords>
void WorkloadsEditor::release_resources_of(const PodSetRecords& pod_sets) {
    for (const PodSetRecord& pod_set : pod_sets) {
        for (const auto& request : pod_set.requests) {
            names_.release_resource(request.resource);
        }
        const std::optional<std::vector<Request>>& for_node = pod_set.node_requests;
        if (for_node) {
            for (const auto& request : *for_node) {
                names_.release_resource(request.resource);
            }
        }
    }
}

void WorkloadsEditor::release_pod_sets(PodSets& pod_sets) {
    if (const auto last = data_.pod_set_pool.release(pod_sets)) {
        release_resources_of(last->all);
    }
}

bool WorkloadsEditor::take_pod_sets(WorkloadRecord& into, const Workload& workload) {
    std::vector<PodSetRecord> pod_sets;
    pod_sets.reserve(workload.pod_sets.size());
    for (const auto& given : workload.pod_sets) {
        PodSetRecord made;
        made.name = given.name;
        made.count = given.count;
        made.min_count = given.min_count.value_or(-1);
        if (data_.options->gates.reclaimable_pods) {
            made.reclaimable = std::clamp(given.reclaimable, 0, given.count);
        }
        made.shape = given.shape;
        made.group = given.group;
        for (const auto& request : given.requests) {
            made.requests.push_back(
                Request{.resource = names_.use_resource(request.resource), .amount = request.amount}
            );
        }
        if (given.node_requests) {
            auto& of_node = made.node_requests.emplace();
            for (const auto& request : *given.node_requests) {
                of_node.push_back(
                    {.resource = names_.use_resource(request.resource), .amount = request.amount}
                );
            }
        }
        const auto& hashes = *data_.resource_hashes;
        std::sort(
            made.requests.begin(),
            made.requests.end(),
            [&hashes](const Request& a, const Request& b) {
                return std::pair(hashes[a.resource.at()], a.resource) <
                       std::pair(hashes[b.resource.at()], b.resource);
            }
        );
        pod_sets.push_back(std::move(made));
    }
    PodSets before = std::move(into.pod_sets);
    const std::size_t known = data_.pod_set_pool.size();
    into.pod_sets = data_.pod_set_pool.share(std::move(pod_sets));
    if (data_.pod_set_pool.size() == known) {
        release_resources_of(into.pod_sets);  // the podSets in the pool are uses already
    }
    const bool changed = before != into.pod_sets;
    release_pod_sets(before);
    return changed;
}

CowPtr<Holding> WorkloadsEditor::make_holding(
    const Workload& workload, const QuotaReservation& reservation
) {
    Holding made;
    made.cluster_queue = names_.intern_cluster_queue(reservation.cluster_queue);
    made.reserved_at = reservation.reserved_at;
    made.expected_end = reservation.expected_end;
    made.bound = reservation.bound;
    made.admitted = reservation.admitted;
    made.evicted = reservation.evicted;
    const bool is_only = reservation.pod_sets.size() == 1 && workload.pod_sets.size() == 1;
    for (const auto& assigned : reservation.pod_sets) {
        const auto pod_set = std::find_if(
            workload.pod_sets.begin(),
            workload.pod_sets.end(),
            [&assigned](const PodSet& p) { return p.name == assigned.name; }
        );
        std::int64_t left = 0;
        if (pod_set != workload.pod_sets.end()) {
            left = pod_set->count;
        }
        if (left > 0 && data_.options->gates.reclaimable_pods) {
            left -= std::clamp(pod_set->reclaimable, 0, pod_set->count);
        }
        PodSetShare share{
            .name = assigned.name, .assigned = assigned.count, .left = left, .amounts = {}
        };
        for (const auto& resource : assigned.resources) {
            const auto pair = names_.intern_pair(resource.flavor, resource.resource);
            share.amounts.push_back({.flavor_resource = pair, .amount = resource.amount});
        }
        add_pod_set(made, std::move(share), is_only);
    }
    made.placement = make_placement(workload, reservation);
    return CowPtr<Holding>::make(std::move(made));
}

CowPtr<HeldPlacement> WorkloadsEditor::make_placement(
    const Workload& workload, const QuotaReservation& reservation
) {
    const bool is_placed =
        std::any_of(reservation.pod_sets.begin(), reservation.pod_sets.end(), [](const auto& p) {
            return p.domains.has_value();
        });
    if (!is_placed && reservation.second_pass == SecondPass::None) {
        return {};
    }
    HeldPlacement made{
        .topologies = {},
        .leaves = {},
        .second_pass = reservation.second_pass,
        .assigned = {},
        .unhealthy_nodes = reservation.unhealthy_nodes,
        .is_of_one_pod = reservation.is_of_one_pod,
    };
    for (const PodSetAssignment& assigned : reservation.pod_sets) {
        const auto at = std::find_if(
            workload.pod_sets.begin(),
            workload.pod_sets.end(),
            [&assigned](const PodSet& p) { return p.name == assigned.name; }
        );
        if (at == workload.pod_sets.end()) {
            continue;
        }
        AssignedPodSet pod_set{
            .pod_set = static_cast<std::uint32_t>(at - workload.pod_sets.begin()),
            .count = assigned.count,
            .delayed = assigned.delayed,
        };
        std::set<FlavorIndex> flavors;
        for (const AssignedResource& resource : assigned.resources) {
            const auto pair = names_.intern_pair(resource.flavor, resource.resource);
            pod_set.flavors.push_back(
                {.resource = state_.resource_of(pair),
                 .flavor = state_.flavor_of(pair),
                 .amount = resource.amount}
            );
            flavors.insert(state_.flavor_of(pair));
        }
        for (const FlavorIndex flavor : flavors) {
            if (assigned.domains) {
                made.topologies.push_back(
                    {.flavor = flavor, .pod_set = pod_set.pod_set, .domains = *assigned.domains}
                );
            }
        }
        made.assigned.push_back(std::move(pod_set));
    }
    return CowPtr<HeldPlacement>::make(std::move(made));
}

WorkloadIndex WorkloadsEditor::add(std::string_view key, std::string_view uid) {
    WorkloadIndex index = make_index<WorkloadIndex>(data_.workloads.size());
    if (data_.free_workloads->empty()) {
        data_.workloads.emplace_back();
    } else {
        index = data_.free_workloads->back();
        data_.free_workloads.write().pop_back();
        clear_record(index);
    }
    WorkloadRecord& made = record(index);
    made.exists = true;
    made.identity = WorkloadIdentity(key, uid);
    data_.workload_index.insert(index, data_.workloads);
    return index;
}

void WorkloadsEditor::clear_record(WorkloadIndex index) {
    const bool queue_changed = record(index).queue_changed;
    record(index) = WorkloadRecord{};
    record(index).queue_changed = queue_changed;
}

void WorkloadsEditor::move_to_local_queue(WorkloadIndex index, LocalQueueIndex target) {
    WorkloadRecord& workload = record(index);
    if (workload.local_queue == target) {
        return;
    }
    if (workload.local_queue.is_valid()) {
        queues_.leave(index);
        holders_.leave_local_queue(index);
        auto& members = data_.local_queues.write(workload.local_queue.at()).workloads;
        const WorkloadIndex last = members.back();
        members[workload.local_queue_position] = last;
        record(last).local_queue_position = workload.local_queue_position;
        members.pop_back();
        names_.end_local_queue(workload.local_queue);
    }
    workload.last_assignment.reset();  // it refers to flavors of another ClusterQueue
    workload.local_queue = target;
    holders_.join_local_queue(index);
    if (target.is_valid()) {
        auto& members = data_.local_queues.write(target.at()).workloads;
        workload.local_queue_position = static_cast<std::uint32_t>(members.size());
        members.push_back(index);
    }
}

void WorkloadsEditor::take_fields(WorkloadIndex index, const Workload& given) {
    queues_.take(index);  // before its queue keys change
    WorkloadRecord& workload = record(index);
    workload.priority = given.priority;
    workload.queue_order = given.queue_order;
    workload.generation = given.generation;
    workload.scheduling_class = class_of(given);
    workload.condition_stamp = given.condition_stamp;
    workload.requeued_false = given.requeued_false;
    workload.checks_failed = given.checks_failed;
    workload.requests_valid = given.requests_valid;
    workload.preemption_gated = given.preemption_gated;
    workload.pods_ready = given.pods_ready;
    workload.replaces = to_record(given.replaces);
    workload.job = to_record(given.job);
    workload.is_unowned = given.is_unowned;
    wakes_.set_back_off(index, BackOff::Requeue, given.requeue_at);
}

void WorkloadsEditor::update_holder(
    WorkloadIndex index, const Workload& given, const QuotaReservation& reservation
) {
    WorkloadRecord& workload = record(index);
    if (workload.assumed && workload.holding != nullptr && workload.holding->placement != nullptr &&
        workload.holding->placement->before != nullptr &&
        reservation.second_pass != SecondPass::None) {
        return;  // the object is older than the topology that is being written
    }
    auto holding = make_holding(given, reservation);
    // Our own eviction is being written: a status from before it must not make the victim a
    // candidate again.
    workload.eviction_expected = workload.eviction_expected && !reservation.evicted;
    holding.write().evicted = holding->evicted || workload.eviction_expected;
    const bool frees =
        workload.holding != nullptr && (workload.priority != given.priority ||
                                        workload.holding->cluster_queue != holding->cluster_queue ||
                                        frees_quota(workload.holding->usages, holding->usages));
    const auto turn = data_.second_passes->find(index);
    const auto known_turn =
        turn == data_.second_passes->end() ? std::nullopt : std::optional(turn->second);
    std::vector<HeldNodes> nodes;
    // A status says nothing about nodes: what is known of them stays.
    if (workload.holding != nullptr && workload.holding->placement != nullptr &&
        !workload.holding->placement->nodes.empty()) {
        nodes = workload.holding->placement->nodes;
        CowPtr<HeldPlacement>& placement = holding.write().placement;
        if (placement == nullptr) {
            placement = CowPtr<HeldPlacement>::make();
        }
        placement.write().nodes = nodes;
    }
    const NodeIndex left = holders_.end(index);
    take_fields(index, given);
    workload.queueable = false;
    workload.last_assignment.reset();
    workload.deferred.reset();
    take_pod_sets(workload, given);
    holders_.begin(index, std::move(holding));
    holders_.note_eased_since(index, nodes);
    if (known_turn) {
        holders_.keep_second_pass(index, *known_turn);
    }
    if (frees) {
        wakes_.wake_for(left, state_.cluster_queue_of(workload));
    }
}

void WorkloadsEditor::update_pending(WorkloadIndex index, const Workload& given) {
    WorkloadRecord& workload = record(index);
    if (workload.assumed) {
        // The object may be older than our admission. It is applied once the write has succeeded or
        // failed, if it still counts then.
        workload.deferred = CowPtr<Workload>::make(given);
        return;
    }
    holders_.note_eased(index, {});
    const NodeIndex freed = holders_.end(index);
    workload.eviction_expected = false;
    const bool same_pod_sets = !take_pod_sets(workload, given);
    const bool became_valid = !workload.requests_valid && given.requests_valid;
    const bool changed = workload.generation != given.generation ||
                         workload.condition_stamp != given.condition_stamp ||
                         workload.preemption_gated != given.preemption_gated || became_valid ||
                         !same_pod_sets;
    if (workload.scheduling_class != class_of(given) ||
        !data_.options->gates.flavor_fungibility_preserve_scan_progress) {
        workload.last_assignment.reset();
    }
    // The back-off has ended, but no TimerFired event has been applied since.
    const bool back_off_ended =
        workload.requeue_at && workload.requeue_at != given.requeue_at &&
        *workload.requeue_at <= now_ &&
        data_.back_offs->contains({*workload.requeue_at, index, BackOff::Requeue});
    const Bucket bucket = state_.bucket(index);
    const bool stays_parked =
        bucket == Bucket::Inadmissible && !changed && !back_off_ended && given.queueable;
    take_fields(index, given);
    workload.queueable = given.queueable;
    if (stays_parked) {
        queues_.park(index);
        return;
    }
    if (freed.is_valid()) {
        // Before this workload is queued, because the wake-up may unpark its scheduling class.
        wakes_.wake_for(freed, state_.cluster_queue_of(workload));
    }
    if (!workload.queueable) {
        queues_.leave(index);
        workload.last_assignment.reset();
        return;
    }
    if (bucket == Bucket::Heap && state_.cluster_queue_of(workload).is_valid()) {
        queues_.push(index);  // back-off and parked classes do not remove it from the heap
    } else {
        queues_.enqueue(index);
    }
}

void WorkloadsEditor::on(const WorkloadChanged& event) {
    const Workload& given = event.workload;
    std::string key;  // of the workload, then of its LocalQueue
    key.reserve(given.ns.size() + 1 + std::max(given.name.size(), given.local_queue.size()));
    key.append(given.ns).append(1, '/').append(given.name);
    WorkloadIndex index = state_.find_workload(key);
    if (index.is_valid() && record(index).uid() != given.uid) {
        // The object was deleted, and created again under the same name.
        on(WorkloadDeleted{.ns = given.ns, .name = given.name});
        index = WorkloadIndex{};
    }
    const bool is_known = index.is_valid();
    if (!is_known) {
        index = add(key, given.uid);
    }
    key.replace(given.ns.size() + 1, std::string::npos, given.local_queue);
    move_to_local_queue(index, names_.intern_local_queue(key));
    WorkloadRecord& workload = record(index);
    const bool was_admitted = workload.shows_admitted;
    workload.shows_admitted = given.reservation && given.reservation->admitted;
    workload.reservation_shown = workload.reservation_shown || given.reservation;
    if (given.reservation && !given.ended) {
        update_holder(index, given, *given.reservation);
        if (is_known && !was_admitted && given.reservation->admitted) {
            holders_.was_admitted(index);
        }
        return;
    }
    if (given.ended && !given.reservation) {
        holders_.has_finished(index);
    }
    update_pending(index, given);
    if (is_known && given.ended && !record(index).assumed) {
        wakes_.wake_for(NodeIndex{}, state_.cluster_queue_of(record(index)));
    }
}

void WorkloadsEditor::on(const WorkloadPodsChanged& event) {
    const WorkloadIndex index = state_.find_workload(event.ns + "/" + event.name);
    if (index.is_valid()) {
        holders_.set_running(index, event.pod_sets);
    }
}

void WorkloadsEditor::on(const WorkloadDeleted& event) {
    const WorkloadIndex index = state_.find_workload(event.ns + "/" + event.name);
    if (!index.is_valid()) {
        return;
    }
    holders_.note_eased(index, {});
    const NodeIndex freed = holders_.end(index);
    const NodeIndex queued_in = state_.cluster_queue_of(record(index));
    move_to_local_queue(index, LocalQueueIndex{});
    wakes_.set_back_off(index, BackOff::Requeue, std::nullopt);
    wakes_.set_back_off(index, BackOff::RefusedWrite, std::nullopt);
    data_.workload_index.erase(index, data_.workloads);
    release_pod_sets(record(index).pod_sets);
    clear_record(index);
    if (data_.held_back == index) {
        data_.held_back = WorkloadIndex{};
    }
    data_.free_workloads.write().push_back(index);
    wakes_.wake_for(freed, queued_in);
}

void WorkloadsEditor::on(const AdmissionWritten& event) {
    const WorkloadIndex index = state_.find_workload(event.ns + "/" + event.name);
    if (!index.is_valid()) {
        return;
    }
    WorkloadRecord& workload = record(index);
    workload.assumed = false;
    workload.refused_admissions = 0;
    const CowPtr<Workload> deferred = std::move(workload.deferred);
    if (deferred != nullptr && (workload.reservation_shown || deferred->ended)) {
        on(WorkloadChanged{*deferred});
    }
}

void WorkloadsEditor::on(const AdmissionFailed& event) {
    const WorkloadIndex index = state_.find_workload(event.ns + "/" + event.name);
    if (!index.is_valid() || !record(index).assumed) {
        return;
    }
    WorkloadRecord& workload = record(index);
    if (!event.object_gone && holders_.second_pass_refused(index, workload.refused_admissions)) {
        if (event.back_off) {
            count_refusal(workload);
        }
        if (const CowPtr<Workload> deferred = std::move(workload.deferred); deferred != nullptr) {
            on(WorkloadChanged{*deferred});
        }
        return;
    }
    holders_.note_eased(index, {});
    const NodeIndex freed = holders_.end_refused(index);
    workload.queueable = !event.object_gone;
    if (event.back_off && workload.queueable) {
        const Duration delay = kRefusedDelay * (1U << workload.refused_admissions);
        wakes_.set_back_off(index, BackOff::RefusedWrite, later(now_, delay));
        count_refusal(workload);
    }
    const CowPtr<Workload> deferred = std::move(workload.deferred);
    wakes_.wake_tree_of(freed);
    if (deferred != nullptr && workload.queueable) {
        on(WorkloadChanged{*deferred});
    } else if (workload.queueable) {
        queues_.enqueue(index);
    }
    if (state_.bucket(index) == Bucket::Inadmissible && state_.has_back_off_ended(workload, now_)) {
        // This workload failed after its nomination, so it is tried again even if its class is
        // parked.
        queues_.take(index);
        queues_.push(index);
    }
}

void WorkloadsEditor::on(const PreemptionFailed& event) {
    const WorkloadIndex index = state_.find_workload(event.ns + "/" + event.name);
    if (index.is_valid() && record(index).eviction_expected) {
        holders_.eviction_failed(index);
    }
}

}  // namespace sluice::engine
