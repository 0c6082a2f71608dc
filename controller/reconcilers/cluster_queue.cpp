#include "controller/reconcilers/cluster_queue.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/sluice_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/reconcile/finalizer.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "workload/pods/amounts.hpp"
#include "workload/pods/text.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

namespace {

constexpr Duration kHolderRecheck = std::chrono::seconds(1);

std::int64_t amount_at(
    const FlavorAmounts& amounts, const std::string& flavor, const std::string& resource
) {
    const auto found = amounts.find(flavor);
    if (found == amounts.end()) {
        return 0;
    }
    const auto entry = found->second.find(resource);
    return entry == found->second.end() ? 0 : entry->second;
}

/// Returns the usage of all flavors in the order of the spec, resources sorted by name.
std::vector<api::FlavorUsage> make_usage(
    const api::ClusterQueue& queue, const FlavorAmounts& amounts
) {
    std::vector<api::FlavorUsage> list;
    for (const auto& group : queue.spec.resource_groups) {
        for (const auto& flavor : group.flavors) {
            api::FlavorUsage usage{.name = flavor.name, .resources = {}};
            for (const auto& quota : flavor.resources) {
                const engine::Amount used{amount_at(amounts, flavor.name, quota.name)};
                engine::Amount borrowed;
                if (!queue.spec.cohort_name.empty()) {
                    const engine::Amount over =
                        used - workload::quota_amount(quota.name, quota.nominal_quota);
                    borrowed = engine::max(engine::Amount(), over);
                }
                usage.resources.push_back(
                    {.name = quota.name,
                     .total = workload::to_quantity(quota.name, used),
                     .borrowed = workload::to_quantity(quota.name, borrowed)}
                );
            }
            std::ranges::sort(usage.resources, {}, &api::ResourceUsage::name);
            list.push_back(std::move(usage));
        }
    }
    return list;
}

/// Reports drift of quota against nodes. A queue that was never reported gets no condition.
void set_drift(std::vector<api::Condition>& conditions, const QuotaDrift& drift, Time now) {
    const bool exceeds = drift.state == QuotaDrift::State::Exceeds;
    const bool is_over = drift.state == QuotaDrift::State::Within &&
                         api::is_true(conditions, api::condition::kQuotaExceedsNodes);
    if (exceeds || is_over) {
        api::set_condition(
            conditions,
            {.type_ = api::condition::kQuotaExceedsNodes,
             .status = exceeds ? api::condition_status::kTrue : api::condition_status::kFalse,
             .last_transition_time = now,
             .reason = exceeds ? api::reason::kNodesLackQuota : api::reason::kNodesHaveQuota,
             .message = exceeds ? workload::truncated_condition_message(drift.message)
                                : "The nodes have the quota again"}
        );
    }
}

}  // namespace

Outcome reconcile_cluster_queue(
    const View& view, std::string_view name, const QueueAccount& account, Time now
) {
    Outcome outcome;
    const Stores& stores = view.stores;
    const auto queue = stores.of<api::ClusterQueue>().find(name);
    if (!queue) {
        return outcome;
    }
    const QueueUsage usage = cluster_queue_usage(stores, *queue, view.settings.gates);
    const bool is_used = usage.reserving > 0 || account.has_holders;
    if (auto write = keep_finalizer(
            {kind_of<api::ClusterQueue>(), "", std::string(name)}, queue->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
        return outcome;
    }
    if (queue->metadata.deletion_timestamp && account.has_holders) {
        outcome.requeue_at = now + kHolderRecheck;  // no store shows that an admission was refused
    }
    api::ClusterQueue wanted = *queue;
    set_active(
        wanted.status.conditions, view.translator.activity(*queue), queue->metadata.generation, now
    );
    set_drift(wanted.status.conditions, account.drift, now);
    wanted.status.flavors_reservation = make_usage(*queue, usage.reservation);
    wanted.status.flavors_usage = make_usage(*queue, usage.usage);
    wanted.status.pending_workloads = usage.pending;
    wanted.status.reserving_workloads = usage.reserving;
    wanted.status.admitted_workloads = usage.admitted;
    wanted.status.fair_sharing.reset();
    if (account.weighted_share) {
        wanted.status.fair_sharing =
            api::FairSharingStatus{.weighted_share = *account.weighted_share};
    }
    if (auto write = patch_status(
            {kind_of<api::ClusterQueue>(), "", std::string(name)},
            queue->metadata,
            api::to_value(*queue),
            api::to_value(wanted)
        )) {
        const auto type = api::condition::kQuotaExceedsNodes;
        if (api::is_true(wanted.status.conditions, type) &&
            !api::is_true(queue->status.conditions, type)) {
            write->events.push_back(drift_event(
                {kind_of<api::ClusterQueue>(), "", std::string(name)},
                queue->metadata.uid,
                account.drift
            ));
        }
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
