#include "engine/flavors/workload_slice.hpp"

#include <algorithm>
#include <string>

namespace sluice::engine {
namespace {

std::string_view namespace_of(std::string_view key) {
    return key.substr(0, key.find('/'));
}

}  // namespace

bool are_slices_of_one_job(const WorkloadRecord& replacement, const WorkloadRecord& slice) {
    if (namespace_of(slice.key()) != namespace_of(replacement.key())) {
        return false;
    }
    if (replacement.is_unowned || slice.is_unowned) {
        return replacement.is_unowned && slice.is_unowned;
    }
    return replacement.job != nullptr && slice.job != nullptr && *replacement.job == *slice.job;
}

ReplacedSlice::ReplacedSlice(const State& state, WorkloadIndex workload)
    : state_(&state), workload_(workload) {
    const WorkloadRecord& record = state.workload(workload);
    const Holding& holding = *record.holding;
    pod_sets_ = holding.pod_sets;
    if (pod_sets_.empty() && record.pod_sets.size() == 1) {
        pod_sets_.push_back(
            {.name = record.pod_sets[0].name, .count = holding.count, .usages = holding.usages}
        );
    }
}

std::optional<ReplacedSlice> ReplacedSlice::find(
    const State& state,
    WorkloadIndex replacement,
    NodeIndex cluster_queue,
    const std::set<WorkloadIndex>& removed
) {
    const WorkloadRecord& record = state.workload(replacement);
    if (!state.options().gates.elastic_jobs || record.replaces == nullptr) {
        return std::nullopt;
    }
    const WorkloadIndex index = state.find_workload(*record.replaces);
    if (!index.is_valid() || removed.contains(index)) {
        return std::nullopt;
    }
    const WorkloadRecord& slice = state.workload(index);
    if (slice.holding == nullptr || slice.holding->cluster_queue != cluster_queue ||
        !are_slices_of_one_job(record, slice)) {
        return std::nullopt;
    }
    return ReplacedSlice(state, index);
}

const Usage* ReplacedSlice::find_usage(const HeldPodSet& pod_set, ResourceIndex resource) const {
    const auto at =
        std::find_if(pod_set.usages.begin(), pod_set.usages.end(), [&](const Usage& usage) {
            return state_->resource_of(usage.flavor_resource) == resource;
        });
    return at == pod_set.usages.end() ? nullptr : &*at;
}

FlavorIndex ReplacedSlice::flavor_of(std::size_t pod_set, ResourceIndex resource) const {
    const Usage* usage =
        pod_set < pod_sets_.size() ? find_usage(pod_sets_[pod_set], resource) : nullptr;
    return usage == nullptr ? FlavorIndex{} : state_->flavor_of(usage->flavor_resource);
}

Amount ReplacedSlice::held_of(std::size_t pod_set, ResourceIndex resource) const {
    const Usage* usage =
        pod_set < pod_sets_.size() ? find_usage(pod_sets_[pod_set], resource) : nullptr;
    return usage == nullptr ? Amount() : usage->amount;
}

Amount ReplacedSlice::held_of(std::string_view pod_set, ResourceIndex resource) const {
    const auto at =
        std::find_if(pod_sets_.begin(), pod_sets_.end(), [pod_set](const HeldPodSet& held) {
            return held.name == pod_set;
        });
    return at == pod_sets_.end()
               ? Amount()
               : held_of(static_cast<std::size_t>(at - pod_sets_.begin()), resource);
}

std::int64_t ReplacedSlice::pods_on_nodes(std::string_view pod_set, FlavorIndex flavor) const {
    const WorkloadRecord& record = state_->workload(workload_);
    std::int64_t pods = 0;
    if (record.holding->placement != nullptr) {
        for (const HeldNodes& nodes : record.holding->placement->nodes) {
            const bool is_same =
                nodes.flavor == flavor && record.pod_sets[nodes.pod_set].name == pod_set;
            pods += is_same ? nodes.count : 0;
        }
    }
    return pods;
}

const HeldTopology* ReplacedSlice::find_topology(std::string_view pod_set, FlavorIndex flavor)
    const {
    const WorkloadRecord& record = state_->workload(workload_);
    if (record.holding->placement == nullptr) {
        return nullptr;
    }
    const auto& all = record.holding->placement->topologies;
    const auto at = std::ranges::find_if(all, [&](const HeldTopology& topology) {
        return topology.flavor == flavor && record.pod_sets[topology.pod_set].name == pod_set;
    });
    return at == all.end() ? nullptr : &*at;
}

Usages ReplacedSlice::growth(const PodSets& pod_sets, const Assignment& assignment) const {
    Usages made;
    for (const auto& choice : assignment.pod_sets) {
        const PodSetRecord& pod_set = pod_sets[choice.pod_set];
        const std::int32_t held =
            choice.pod_set < pod_sets_.size() ? pod_sets_[choice.pod_set].count : 0;
        const std::int32_t count = pod_set.count_after_reclaim();
        for (const auto& request : pod_set.requests) {
            const FlavorChoice* flavor = choice.find(request.resource);
            const Amount all = request.amount * count;
            const Amount more =
                count == 0 || held == 0 ? all : Amount(all.value() / count) * (count - held);
            if (flavor != nullptr && more != Amount() &&
                request.resource != state_->pods_resource()) {
                add_to(made, flavor->flavor_resource, more);
            }
        }
    }
    return made;
}

Usages counted_usage(const State& state, const AdmissionDecision& decision) {
    const auto slice =
        decision.replaces.is_valid()
            ? ReplacedSlice::find(state, decision.workload, decision.cluster_queue, {})
            : std::nullopt;
    const auto& pod_sets = state.workload(decision.workload).pod_sets;
    Usages made;
    for (const auto& pod_set : decision.pod_sets) {
        for (const auto& [resource, flavor, amount] : pod_set.flavors) {
            if (!amount) {
                continue;
            }
            const std::string& name = pod_sets[pod_set.pod_set].name;
            const Amount held = slice ? slice->held_of(name, resource) : Amount();
            const auto pair = state.flavor_resource_of(flavor, resource);
            add_to(made, pair, number_difference(*amount, held));
        }
    }
    return made;
}

}  // namespace sluice::engine
