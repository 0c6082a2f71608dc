#include "workload/capacity/queue_quotas.hpp"

#include "workload/pods/amounts.hpp"

#include <algorithm>
#include <set>

namespace sluice::workload {
namespace {

FlavorAmounts nominal_of(const std::vector<api::ResourceGroup>& groups) {
    FlavorAmounts made;
    for (const auto& group : groups) {
        for (const auto& flavor : group.flavors) {
            for (const auto& quota : flavor.resources) {
                made[{flavor.name, quota.name}] += quota_amount(quota.name, quota.nominal_quota);
            }
        }
    }
    return made;
}

void add_all(FlavorAmounts& to, const FlavorAmounts& amounts) {
    for (const auto& [pair, amount] : amounts) {
        to[pair] += amount;
    }
}

using Parents = std::map<std::string, std::string>;

/// A cohort and those above it, each once.
struct Chain {
    std::vector<std::string> cohorts;
    std::string root;
};

/// Takes the first name of a cycle of parents as the root of all that is in it.
Chain chain_from(const Parents& parents, const std::string& cohort) {
    Chain chain;
    std::set<std::string> seen;
    std::string at = cohort;
    while (!at.empty() && seen.insert(at).second) {
        chain.cohorts.push_back(at);
        const auto parent = parents.find(at);
        at = parent == parents.end() ? "" : parent->second;
    }
    const auto cycle = std::ranges::find(chain.cohorts, at);
    if (cycle != chain.cohorts.end()) {
        chain.root = *std::min_element(cycle, chain.cohorts.end());
    } else if (!chain.cohorts.empty()) {
        chain.root = chain.cohorts.back();
    }
    return chain;
}

}  // namespace

std::vector<QueueQuota> sum_quotas(
    const std::vector<const api::ClusterQueue*>& queues,
    const std::vector<const api::Cohort*>& cohorts
) {
    Parents parents;
    for (const auto* cohort : cohorts) {
        parents[cohort->metadata.name] = cohort->spec.parent_name;
    }
    std::map<std::string, QueueQuota> by_queue;
    std::map<std::string, QueueQuota> by_cohort;
    const auto add_above = [&](const std::string& cohort, const FlavorAmounts& nominal) {
        const auto chain = chain_from(parents, cohort);
        for (const std::string& name : chain.cohorts) {
            QueueQuota& sum = by_cohort[name];
            sum.is_cohort = true;
            sum.is_root = sum.is_root || name == chain.root;
            sum.name = name;
            add_all(sum.nominal, nominal);
        }
    };
    for (const auto* queue : queues) {
        QueueQuota made{
            .is_cohort = false,
            .is_root = queue->spec.cohort_name.empty(),
            .name = queue->metadata.name,
            .nominal = nominal_of(queue->spec.resource_groups),
        };
        add_above(queue->spec.cohort_name, made.nominal);
        by_queue.insert_or_assign(made.name, std::move(made));
    }
    for (const auto* cohort : cohorts) {
        add_above(cohort->metadata.name, nominal_of(cohort->spec.resource_groups));
    }
    std::vector<QueueQuota> all;
    all.reserve(by_queue.size() + by_cohort.size());
    for (auto* queues_of_kind : {&by_queue, &by_cohort}) {
        for (auto& [name, quota] : *queues_of_kind) {
            all.push_back(std::move(quota));
        }
    }
    return all;
}

}  // namespace sluice::workload
