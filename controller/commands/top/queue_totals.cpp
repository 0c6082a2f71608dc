#include "controller/commands/top/queue_totals.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace sluice::commands {
namespace {

using api::Quantity;

/// A resource of a flavor in a tree of cohorts.
using Pool = std::tuple<std::string, std::string, std::string>;  // root, flavor, resource

/// Finds the roots of trees of cohorts by the parents of the Cohorts.
class Roots {
  public:
    explicit Roots(const Objects<api::Cohort>& cohorts) {
        for (const auto& cohort : cohorts) {
            parents_[cohort.metadata.name] = cohort.spec.parent_name;
        }
    }
    /// Returns the root above the cohort; one of a cycle of parents, if they form one.
    std::string of(const std::string& cohort) const {
        std::string at = cohort;
        std::set<std::string> seen;
        for (auto above = parents_.find(at);
             above != parents_.end() && !above->second.empty() && seen.insert(at).second;
             above = parents_.find(at)) {
            at = above->second;
        }
        return at;
    }

  private:
    std::map<std::string, std::string> parents_;
};

Quantity smaller(const Quantity& a, const Quantity& b) {
    return b < a ? b : a;
}

Quantity not_negative(const Quantity& quantity) {
    return quantity.sign() < 0 ? Quantity() : quantity;
}

const api::ResourceUsage* find_usage(
    const api::ClusterQueue& queue, const std::string& flavor, const std::string& resource
) {
    for (const auto& usage : queue.status.flavors_reservation) {
        if (usage.name != flavor) {
            continue;
        }
        const auto at = std::ranges::find(usage.resources, resource, &api::ResourceUsage::name);
        return at == usage.resources.end() ? nullptr : &*at;
    }
    return nullptr;
}

class TotalsFinder {
  public:
    explicit TotalsFinder(const ScheduleCluster& cluster) : roots_(cluster.cohorts) {
        for (const auto& queue : cluster.cluster_queues) {
            visit(queue, [&](const std::string& flavor, const api::ResourceQuota& quota) {
                if (const auto* usage = find_usage(queue, flavor, quota.name)) {
                    borrowed_[pool_of(queue, flavor, quota.name)] += usage->borrowed;
                }
            });
        }
    }

    QueueTotals totals_of(const api::ClusterQueue& queue) const {
        QueueTotals made;
        made.name = queue.metadata.name;
        made.cohort = queue.spec.cohort_name;
        made.pending = queue.status.pending_workloads;
        const auto* active = api::find_condition(queue.status.conditions, api::condition::kActive);
        made.active = active == nullptr || active->status != api::condition_status::kFalse;
        visit(queue, [&](const std::string& flavor, const api::ResourceQuota& quota) {
            auto at = std::ranges::find(made.resources, quota.name, &ResourceTotals::resource);
            if (at == made.resources.end()) {
                at = made.resources.insert(at, ResourceTotals{.resource = quota.name});
            }
            add(queue, flavor, quota, *at);
        });
        return made;
    }

  private:
    template <class Visit>
    static void visit(const api::ClusterQueue& queue, const Visit& visit) {
        for (const auto& group : queue.spec.resource_groups) {
            for (const auto& flavor : group.flavors) {
                for (const auto& quota : flavor.resources) {
                    visit(flavor.name, quota);
                }
            }
        }
    }
    Pool pool_of(
        const api::ClusterQueue& queue, const std::string& flavor, const std::string& resource
    ) const {
        return {roots_.of(queue.spec.cohort_name), flavor, resource};
    }

    void add(
        const api::ClusterQueue& queue,
        const std::string& flavor,
        const api::ResourceQuota& quota,
        ResourceTotals& into
    ) const {
        into.nominal += quota.nominal_quota;
        const auto* usage = find_usage(queue, flavor, quota.name);
        const Quantity used = usage == nullptr ? Quantity() : usage->total;
        if (usage != nullptr) {
            into.used += usage->total;
            into.borrowed += usage->borrowed;
        }
        const auto borrowed = borrowed_.find(pool_of(queue, flavor, quota.name));
        if (queue.spec.cohort_name.empty() || borrowed == borrowed_.end()) {
            return;
        }
        Quantity lendable = not_negative(quota.nominal_quota - used);
        if (quota.lending_limit) {
            lendable = smaller(lendable, *quota.lending_limit);
        }
        into.lent += smaller(lendable, borrowed->second);
    }

    Roots roots_;
    std::map<Pool, Quantity> borrowed_;
};

Waits waits_of(std::vector<Duration> waits) {
    std::ranges::sort(waits);
    // The smallest wait that so many percent do not exceed.
    const auto quantile = [&](std::size_t percent) {
        return waits.empty() ? Duration() : waits[(waits.size() * percent + 99) / 100 - 1];
    };
    return {.count = waits.size(), .p50 = quantile(50), .p90 = quantile(90)};
}

/// Returns the waits of workloads that got quota in the last day, by ClusterQueue.
std::map<std::string, std::vector<Duration>> find_waits(
    const Objects<api::Workload>& workloads, Time now
) {
    std::map<std::string, std::vector<Duration>> waits;
    for (const auto& workload : workloads) {
        const auto* reserved =
            api::find_condition(workload.status.conditions, api::condition::kQuotaReserved);
        const auto created = workload.metadata.creation_timestamp;
        if (reserved == nullptr || reserved->status != api::condition_status::kTrue ||
            !reserved->last_transition_time || !created || !workload.status.admission ||
            *reserved->last_transition_time < now - std::chrono::hours(24)) {
            continue;
        }
        waits[workload.status.admission->cluster_queue].push_back(
            std::max(Duration(), *reserved->last_transition_time - *created)
        );
    }
    return waits;
}

}  // namespace

std::vector<QueueTotals> find_totals(const ScheduleCluster& cluster, Time now, bool with_waits) {
    const TotalsFinder finder(cluster);
    auto waits = find_waits(cluster.workloads, now);
    std::vector<QueueTotals> made;
    for (const auto& queue : cluster.cluster_queues) {
        made.push_back(finder.totals_of(queue));
        if (with_waits) {
            made.back().waits = waits_of(std::move(waits[queue.metadata.name]));
        }
    }
    std::ranges::sort(made, {}, &QueueTotals::name);
    return made;
}

}  // namespace sluice::commands
