#include "insight/quota_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice::insight {
namespace {

using engine::Amount;
using Quota = engine::ResourceQuota;
using engine::State;

/// Returns the quota in these groups; nullptr if they have none.
Quota* find_in(
    std::vector<engine::ResourceGroup>& groups,
    const std::string& flavor,
    const std::string& resource
) {
    for (auto& group : groups) {
        const auto column = std::ranges::find(group.covered_resources, resource);
        const auto row = std::ranges::find(group.flavors, flavor, &engine::FlavorQuotas::flavor);
        const auto at = static_cast<std::size_t>(column - group.covered_resources.begin());
        if (row != group.flavors.end() && at < row->quotas.size()) {
            return &row->quotas[at];
        }
    }
    return nullptr;
}

const engine::Cohort* find_cohort(const State& state, engine::NodeIndex node) {
    const auto& cohorts = *state.data().cohorts;
    const auto at = cohorts.find(node);
    return at == cohorts.end() ? nullptr : &at->second;
}

bool is_cluster_queue(const State& state, engine::NodeIndex node) {
    return state.tree().node(node).is_cluster_queue;
}

void set_part(Quota& quota, QuotaPart part, Amount value) {
    switch (part) {
        case QuotaPart::Nominal:
            quota.nominal = value;
            break;
        case QuotaPart::BorrowingLimit:
            quota.borrowing_limit = value;
            break;
        case QuotaPart::LendingLimit:
            quota.lending_limit = value;
            break;
    }
}

std::optional<Amount> part_of(const Quota& quota, QuotaPart part) {
    switch (part) {
        case QuotaPart::Nominal:
            return quota.nominal;
        case QuotaPart::BorrowingLimit:
            return quota.borrowing_limit;
        case QuotaPart::LendingLimit:
            return quota.lending_limit;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Amount> find_quota(const State& state, const QuotaPlace& place) {
    std::vector<engine::ResourceGroup> groups;
    if (is_cluster_queue(state, place.node)) {
        groups = state.cluster_queue(place.node).spec.resource_groups;
    } else if (const auto* cohort = find_cohort(state, place.node)) {
        groups = cohort->resource_groups;
    }
    const Quota* quota =
        find_in(groups, state.flavor_name(place.flavor), state.resource_name(place.resource));
    return quota == nullptr ? std::nullopt : part_of(*quota, place.part);
}

engine::Event make_quota_change(const State& state, const QuotaPlace& place, Amount value) {
    const std::string& flavor = state.flavor_name(place.flavor);
    const std::string& resource = state.resource_name(place.resource);
    if (is_cluster_queue(state, place.node)) {
        engine::ClusterQueue queue = state.cluster_queue(place.node).spec;
        ++queue.generation;
        if (Quota* quota = find_in(queue.resource_groups, flavor, resource)) {
            set_part(*quota, place.part, value);
        }
        return engine::ClusterQueueChanged{std::move(queue)};
    }
    engine::Cohort cohort = *find_cohort(state, place.node);
    if (Quota* quota = find_in(cohort.resource_groups, flavor, resource)) {
        set_part(*quota, place.part, value);
    }
    return engine::CohortChanged{std::move(cohort)};
}

std::string print_part(QuotaPart part) {
    switch (part) {
        case QuotaPart::Nominal:
            return "nominalQuota";
        case QuotaPart::BorrowingLimit:
            return "borrowingLimit";
        case QuotaPart::LendingLimit:
            return "lendingLimit";
    }
    return "";
}

}  // namespace sluice::insight
