#include "engine/state/state.hpp"

#include "base/assert.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/state/queue_order.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {

std::size_t LastAssignment::next(std::uint32_t pod_set, ResourceIndex resource) const {
    if (pod_set >= pod_sets.size()) {
        return 0;
    }
    for (const auto& tried : pod_sets[pod_set]) {
        if (tried.resource == resource) {
            return static_cast<std::size_t>(std::int64_t{tried.index} + 1);
        }
    }
    return 0;
}

void add_pod_set(Holding& into, PodSetShare share, bool is_only) {
    into.count = static_cast<std::int32_t>(std::min<std::int64_t>(share.left, share.assigned));
    HeldPodSet held{.name = std::move(share.name), .count = into.count, .usages = {}};
    for (const auto& [pair, amount] : share.amounts) {
        const bool needs_all = share.left >= share.assigned || share.assigned <= 0;
        const Amount charged =
            needs_all ? amount : Amount(amount.value() / share.assigned) * share.left;
        add_to(into.usages, pair, charged);
        if (!is_only) {
            add_to(held.usages, pair, charged);
        }
    }
    if (!is_only) {
        into.pod_sets.push_back(std::move(held));
    }
}

bool LastAssignment::has_progress() const {
    return std::any_of(pod_sets.begin(), pod_sets.end(), [](const std::vector<Tried>& pod_set) {
        return std::any_of(pod_set.begin(), pod_set.end(), [](const Tried& t) {
            return t.index != -1;
        });
    });
}

State::State(Options options) : data_(std::move(options)) {
    data_.pods = NamesEditor(*this, Time()).use_resource("pods");
}

FlavorResourceIndex State::flavor_resource_of(FlavorIndex flavor, ResourceIndex resource) const {
    const auto at = data_.pair_index->find({flavor, resource});
    SLUICE_ASSERT(at != data_.pair_index->end());
    return at->second;
}

bool State::requested_before(ResourceIndex a, ResourceIndex b) const {
    return std::pair((*data_.resource_hashes)[a.at()], a) <
           std::pair((*data_.resource_hashes)[b.at()], b);
}

std::optional<ShapeVerdict> State::shape_refusal(std::uint32_t shape, FlavorIndex flavor) const {
    const auto of = data_.shapes->find(shape);
    if (of == data_.shapes->end()) {
        return std::nullopt;
    }
    const auto& refusals = of->second.refusals;
    const auto at = refusals.find(flavor);
    return at == refusals.end() ? std::nullopt : std::optional(at->second);
}

const ShapeRecord* State::find_shape(std::uint32_t shape) const {
    const auto of = data_.shapes->find(shape);
    return of == data_.shapes->end() ? nullptr : &of->second;
}

const std::vector<ResourceIndex>* State::topology_resources(std::uint32_t shape) const {
    const ShapeRecord* of = find_shape(shape);
    return of == nullptr || !of->topology ? nullptr : &of->resources;
}

FlavorIndex State::enforcing_flavor(std::span<const FlavorIndex> flavors) const {
    const auto& enforcing = *data_.enforcing_flavors;
    FlavorIndex found;
    std::uint32_t labels = 0;
    for (const FlavorIndex flavor : flavors) {
        if (flavor_has_topology(flavor)) {
            return {};
        }
        const auto at = enforcing.find(flavor);
        if (at == enforcing.end() || flavor == found) {
            continue;
        }
        if (!found.is_valid() || at->second > labels ||
            (at->second == labels && flavor_name(flavor) < flavor_name(found))) {
            found = flavor;
            labels = at->second;
        }
    }
    return found;
}

std::vector<Request> State::node_request(const PodSetRecord& pod_set) const {
    std::vector<Request> made = pod_set.node_requests.value_or(pod_set.requests);
    std::erase_if(made, [this](const Request& r) { return r.resource == data_.pods; });
    made.push_back({.resource = data_.pods, .amount = Amount(1)});
    std::sort(made.begin(), made.end(), [this](const Request& a, const Request& b) {
        return resource_name(a.resource) < resource_name(b.resource);
    });
    return made;
}

WorkloadIndex State::find_workload(std::string_view key) const {
    return data_.workload_index.find(key, data_.workloads);
}

NodeIndex State::cluster_queue_of(const WorkloadRecord& workload) const {
    if (!workload.local_queue.is_valid()) {
        return {};
    }
    const LocalQueueRecord& of = data_.local_queues[workload.local_queue.at()];
    const bool is_open = of.exists && !of.stopped && of.cluster_queue.is_valid() &&
                         data_.cluster_queues[of.cluster_queue.at()].exists;
    return is_open ? of.cluster_queue : NodeIndex{};
}

bool State::has_back_off_ended(const WorkloadRecord& workload, Time now) const {
    const auto is_later = [now](const std::optional<Time>& time) { return time && *time > now; };
    return !workload.requeued_false && !is_later(workload.requeue_at) &&
           !is_later(workload.held_back_until);
}

WorkloadIndex State::head(NodeIndex cluster_queue) const {
    const ClusterQueueRecord& of = data_.cluster_queues[cluster_queue.at()];
    const WorkloadIndex first = of.pending.first();
    const WorkloadIndex preemptor = of.preemptor.workload;
    const bool is_preemptor_first = of.preemptor.sticky && preemptor != first &&
                                    bucket(preemptor) == Bucket::Heap &&
                                    of.pending.is_usage_equal(workload(preemptor), workload(first));
    return is_preemptor_first ? preemptor : first;
}

Bucket State::bucket(WorkloadIndex index) const {
    const WorkloadRecord& of = data_.workloads[index.at()];
    if (of.is_inflight) {
        return Bucket::Inflight;
    }
    if (!of.is_queued()) {
        return Bucket::None;
    }
    const NodeIndex in = data_.local_queues[of.local_queue.at()].cluster_queue;
    return data_.cluster_queues[in.at()].pending.is_waiting(of) ? Bucket::Heap
                                                                : Bucket::Inadmissible;
}

std::vector<WorkloadIndex> State::heap_in_order(NodeIndex cluster_queue) const {
    const auto& record = data_.cluster_queues[cluster_queue.at()];
    std::vector<WorkloadIndex> sorted;
    sorted.reserve(record.pending.waiting());
    record.pending.for_each_waiting([&sorted](WorkloadIndex index) { sorted.push_back(index); });
    const QueueOrder before(
        data_.workloads, data_.local_queues, record, shares_admission_fairly(record)
    );
    std::sort(sorted.begin(), sorted.end(), before);
    return sorted;
}

std::vector<WorkloadIndex> State::inadmissible_in_order(NodeIndex cluster_queue) const {
    const auto& record = data_.cluster_queues[cluster_queue.at()];
    std::vector<WorkloadIndex> sorted;
    sorted.reserve(record.pending.parked());
    record.pending.for_each_parked([&sorted](WorkloadIndex index) { sorted.push_back(index); });
    const QueueOrder before(
        data_.workloads, data_.local_queues, record, shares_admission_fairly(record)
    );
    std::sort(sorted.begin(), sorted.end(), before);
    return sorted;
}

bool State::has_heads() const {
    return std::any_of(data_.with_heap->begin(), data_.with_heap->end(), [this](const auto& entry) {
        return data_.cluster_queues[entry.second.at()].active;
    });
}

bool State::has_second_pass(Time now) const {
    return std::any_of(
        data_.second_passes->begin(),
        data_.second_passes->end(),
        [now](const auto& pass) { return pass.second.due <= now; }
    );
}

std::optional<Time> State::next_due() const {
    std::optional<Time> due;
    const auto consider = [&due](Time time) {
        if (!due || time < *due) {
            due = time;
        }
    };
    for (const auto& [root, time] : *data_.wake_due) {
        consider(time);
    }
    for (const auto& [holder, turn] : *data_.second_passes) {
        consider(turn.due);
    }
    if (!data_.samples->empty()) {
        consider(data_.samples->begin()->first);
    }
    if (!data_.back_offs->empty()) {
        consider(data_.back_offs->begin()->at);
    }
    return due;
}

std::string State::path_of(NodeIndex node) const {
    std::string path;
    for (NodeIndex at = node; at.is_valid(); at = data_.tree.node(at).parent) {
        path.insert(0, "/" + data_.tree.node(at).name);
    }
    return path;
}

Amount State::borrowed(NodeIndex cluster_queue, FlavorResourceIndex flavor_resource) const {
    if (!data_.tree.node(cluster_queue).parent.is_valid()) {
        return {};
    }
    const QuotaCell& cell = data_.tree.cell(cluster_queue, flavor_resource);
    return max(Amount(), cell.usage - cell.nominal);
}

}  // namespace sluice::engine
