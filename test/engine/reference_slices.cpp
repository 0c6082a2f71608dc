#include "engine/reference.hpp"
#include "engine/reference_assignment.hpp"

// Elastic jobs (KEP-77): which slice a larger one takes the place of, and what it asks for beyond
// that one.
namespace sluice::reference {

Quantities Assignment::requested_beyond_slice(const Snapshot& snapshot, const Head& head) const {
    Quantities result;
    for (const PodSetResult& pod_set : pod_sets) {
        const PodSetTotal& total = head.totals[pod_set.index];
        const std::int32_t more = total.count - head.held_at(pod_set.index).count;
        for (const auto& [resource, amount] : total.requests) {
            const bool same = total.count == 0 || total.count == more;
            const Amount needed = same ? amount : Amount(amount.value() / total.count) * more;
            const auto choice = pod_set.choices.find(resource);
            if (needed != Amount() && choice != pod_set.choices.end()) {
                result[snapshot.pair_numbers.at({choice->second.flavor, resource})] += needed;
            }
        }
    }
    return result;
}

HeldPodSet Head::held_at(std::size_t pod_set) const {
    const bool stands = slice != nullptr && pod_set < slice->pod_sets.size();
    return stands ? slice->pod_sets[pod_set] : HeldPodSet();
}

Amount Head::held_by(const std::string& pod_set, const std::string& resource) const {
    if (slice != nullptr) {
        for (const HeldPodSet& held : slice->pod_sets) {
            if (held.name == pod_set) {
                const auto amount = held.amounts.find(resource);
                return amount == held.amounts.end() ? Amount() : amount->second;
            }
        }
    }
    return {};
}

/// Upstream asks for the name alone, and in one place for the namespace. A tenant writes that name,
/// so that two workloads which no job owns, or which one job owns, may replace each other only.
bool Cluster::may_replace(const engine::Workload& workload, const std::string& key) const {
    if (workload.replaces != key) {
        return false;
    }
    const engine::Workload& slice = workloads_.at(key).object;
    return slice.ns == workload.ns && slice.is_unowned == workload.is_unowned &&
           (slice.is_unowned || (slice.job == workload.job && !slice.job.empty()));
}

/// The slice that the head is to take the place of, where it holds quota in the head's
/// ClusterQueue, evicted or not, and is of the head's job (KEP-77).
std::optional<int> Cluster::find_replaced(const Snapshot& snapshot, const Try& attempt) const {
    const engine::Workload& workload = *attempt.head.workload;
    if (options_.gates.elastic_jobs) {
        for (const int holder : snapshot.at(attempt.cluster_queue).holders) {
            if (may_replace(workload, snapshot.holder(holder).key)) {
                return holder;
            }
        }
    }
    return std::nullopt;
}

}  // namespace sluice::reference
