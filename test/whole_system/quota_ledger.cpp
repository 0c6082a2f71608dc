#include "whole_system/quota_ledger.hpp"

#include "api/kueue/kueue_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sluice::whole_system {

namespace {

/// Deeper trees are taken for cycles.
constexpr int kDepthMax = 10;

bool is_true(const api::Workload& workload, std::string_view type) {
    return std::ranges::any_of(workload.status.conditions, [type](const api::Condition& each) {
        return each.type_ == type && each.status == "True";
    });
}

}  // namespace

std::optional<Holding> holding_of(const api::Workload& workload) {
    if (!workload.status.admission || !is_true(workload, api::condition::kQuotaReserved) ||
        is_true(workload, api::condition::kFinished)) {
        return std::nullopt;
    }
    Holding made{.cluster_queue = workload.status.admission->cluster_queue, .amounts = {}};
    for (const api::PodSetAssignment& pod_set : workload.status.admission->pod_set_assignments) {
        const std::int64_t count = pod_set.count.value_or(1);
        const auto reclaimable = std::ranges::find(
            workload.status.reclaimable_pods, pod_set.name, &api::ReclaimablePod::name
        );
        // The assignment counts as far as it is still needed: an elastic job may have shrunk, and a
        // job that starts again has pods that need no quota any more.
        const auto wanted =
            std::ranges::find(workload.spec.pod_sets, pod_set.name, &api::PodSet::name);
        std::int64_t needed = wanted == workload.spec.pod_sets.end() ? count : wanted->count;
        if (reclaimable != workload.status.reclaimable_pods.end()) {
            needed = std::max<std::int64_t>(needed - reclaimable->count, 0);
        }
        const std::int64_t left = std::min(count, needed);
        for (const auto& [resource, flavor] : pod_set.flavors) {
            const auto usage = pod_set.resource_usage.find(resource);
            if (usage == pod_set.resource_usage.end() || count == 0) {
                continue;
            }
            made.amounts[{flavor, resource}] +=
                api::Quantity::from_billionths(usage->second.billionths() / count * left);
        }
    }
    return made;
}

void QuotaLedger::hold(const apiserver::ObjectName& workload, std::optional<Holding> holding) {
    if (holding) {
        holdings_[workload] = std::move(*holding);
    } else {
        holdings_.erase(workload);
    }
}

const api::ClusterQueue* QuotaLedger::find_queue(const std::string& name) const {
    const auto found = quotas_.queues.find(name);
    return found == quotas_.queues.end() ? nullptr : &found->second;
}

const api::Cohort* QuotaLedger::find_cohort(const std::string& name) const {
    const auto found = quotas_.cohorts.find(name);
    return found == quotas_.cohorts.end() ? nullptr : &found->second;
}

QuotaLedger QuotaLedger::with(Quotas quotas) const {
    QuotaLedger other = *this;
    other.quotas_ = std::move(quotas);
    return other;
}

QuotaLedger::Node QuotaLedger::make_node(
    std::string name,
    std::string parent,
    const std::vector<api::ResourceGroup>& groups,
    const FlavorResource& of
) {
    Node made{.name = std::move(name), .parent = std::move(parent), .nominal = api::Quantity(0)};
    for (const api::ResourceGroup& group : groups) {
        for (const api::FlavorQuotas& flavor : group.flavors) {
            for (const api::ResourceQuota& quota : flavor.resources) {
                if (flavor.name == of.first && quota.name == of.second) {
                    made.nominal = quota.nominal_quota;
                    made.borrowing_limit = quota.borrowing_limit;
                    made.lending_limit = quota.lending_limit;
                }
            }
        }
    }
    return made;
}

QuotaLedger::Node QuotaLedger::queue_node(const std::string& name, const FlavorResource& of) const {
    const api::ClusterQueue& queue = quotas_.queues.at(name);
    return make_node(name, queue.spec.cohort_name, queue.spec.resource_groups, of);
}

QuotaLedger::Node QuotaLedger::cohort_node(const std::string& name, const FlavorResource& of)
    const {
    const auto found = quotas_.cohorts.find(name);
    if (found == quotas_.cohorts.end()) {
        return make_node(name, "", {}, of);
    }
    return make_node(name, found->second.spec.parent_name, found->second.spec.resource_groups, of);
}

std::vector<QuotaLedger::Node> QuotaLedger::children_of(
    const std::string& cohort, const FlavorResource& of
) const {
    std::vector<Node> made;
    for (const auto& [name, queue] : quotas_.queues) {
        if (queue.spec.cohort_name == cohort) {
            made.push_back(queue_node(name, of));
        }
    }
    for (const auto& [name, each] : quotas_.cohorts) {
        if (each.spec.parent_name == cohort) {
            made.push_back(cohort_node(name, of));
        }
    }
    return made;
}

/// What the node and all below it may use together without borrowing.
api::Quantity QuotaLedger::quota_below(const Node& node, const FlavorResource& of, int depth)
    const {
    api::Quantity sum = node.nominal;
    if (depth >= kDepthMax || is_queue(node.name)) {
        return sum;
    }
    for (const Node& child : children_of(node.name, of)) {
        sum += quota_below(child, of, depth + 1) - kept(child, of, depth + 1);
    }
    return sum;
}

/// What it does not lend.
api::Quantity QuotaLedger::kept(const Node& node, const FlavorResource& of, int depth) const {
    if (!node.lending_limit) {
        return api::Quantity(0);
    }
    return std::max(api::Quantity(0), quota_below(node, of, depth) - *node.lending_limit);
}

api::Quantity QuotaLedger::used_below(const Node& node, const FlavorResource& of, int depth) const {
    api::Quantity sum(0);
    if (is_queue(node.name)) {
        for (const auto& [workload, holding] : holdings_) {
            const auto amount = holding.amounts.find(of);
            if (holding.cluster_queue == node.name && amount != holding.amounts.end()) {
                sum += amount->second;
            }
        }
        return sum;
    }
    if (depth >= kDepthMax) {
        return sum;
    }
    for (const Node& child : children_of(node.name, of)) {
        const api::Quantity used = used_below(child, of, depth + 1);
        sum += std::max(api::Quantity(0), used - kept(child, of, depth + 1));
    }
    return sum;
}

std::vector<QuotaLedger::Level> QuotaLedger::levels(
    const std::string& queue, const FlavorResource& of
) const {
    std::vector<Level> made;
    Node node = queue_node(queue, of);
    for (int depth = 0; depth < kDepthMax; ++depth) {
        const api::Quantity used = used_below(node, of, depth);
        const api::Quantity quota = quota_below(node, of, depth);
        if (node.parent.empty()) {
            made.push_back({node.name, used, quota});
            break;
        }
        if (node.borrowing_limit) {
            made.push_back({node.name, used, quota + *node.borrowing_limit});
        }
        if (used <= kept(node, of, depth)) {
            break;  // nothing of it counts above
        }
        node = cohort_node(node.parent, of);
    }
    return made;
}

std::string QuotaLedger::find_excess(const Holding& holding) const {
    if (!is_queue(holding.cluster_queue)) {
        return "";
    }
    for (const auto& [of, amount] : holding.amounts) {
        if (amount.is_zero()) {
            continue;
        }
        for (const Level& level : levels(holding.cluster_queue, of)) {
            if (level.used > level.limit) {
                return fmt::format(
                    "{} of {} in {}: {} used, {} is the limit",
                    of.second,
                    of.first,
                    level.name,
                    level.used.to_string(),
                    level.limit.to_string()
                );
            }
        }
    }
    return "";
}

bool QuotaLedger::has_room(const Holding& more) const {
    QuotaLedger with = *this;
    with.hold({"", "more"}, more);
    return with.find_excess(more).empty();
}

bool QuotaLedger::could_have_room(const Holding& more) const {
    QuotaLedger with = *this;
    with.holdings_.clear();
    with.hold({"", "more"}, more);
    return with.find_excess(more).empty();
}

}  // namespace sluice::whole_system
