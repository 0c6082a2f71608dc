#include "engine/topology/domain_order.hpp"

#include <algorithm>

namespace sluice::engine {

DomainOrder::Key DomainOrder::key_of(DomainIndex domain) const {
    const DomainCounts& of = counts_[domain.at()];
    return {
        .affinity = request_.prefers_affinity ? -of.affinity : 0,
        .slices = request_.least_room_first ? of.slices : -of.slices,
        .pods = of.pods,
        .domain = domain,
    };
}

DomainOrder::Key DomainOrder::key_with_leader_of(DomainIndex domain) const {
    const DomainCounts& of = counts_[domain.at()];
    return {
        .leaders = -of.leaders,
        .affinity = request_.prefers_affinity ? -of.affinity : 0,
        .slices = request_.least_room_first ? of.slices_with_leader : -of.slices_with_leader,
        .pods = of.pods_with_leader,
        .domain = domain,
    };
}

void DomainOrder::sort(
    std::vector<DomainIndex>& domains, Key (DomainOrder::*key)(DomainIndex) const
) const {
    std::vector<Key> keys;
    keys.reserve(domains.size());
    for (const DomainIndex domain : domains) {
        keys.push_back((this->*key)(domain));
    }
    std::sort(keys.begin(), keys.end());
    std::transform(keys.begin(), keys.end(), domains.begin(), [](const Key& of) {
        return of.domain;
    });
}

}  // namespace sluice::engine
