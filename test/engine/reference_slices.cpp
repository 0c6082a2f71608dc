#include "engine/reference_assignment.hpp"

// Elastic jobs (KEP-77): what a larger slice asks for beyond the one whose place it takes.
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

}  // namespace sluice::reference
