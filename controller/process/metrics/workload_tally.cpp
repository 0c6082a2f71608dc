#include "controller/process/metrics/workload_tally.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "workload/translation/queueable.hpp"

#include <algorithm>
#include <limits>

namespace sluice::controller {

namespace {

/// Returns why a workload is not admitted: the reasons of Admitted=False and QuotaReserved=False.
std::pair<std::string, std::string> unadmitted_reasons(const api::Workload& workload) {
    const api::Condition* admitted = find_condition(workload, api::condition::kAdmitted);
    const api::Condition* reserved = find_condition(workload, api::condition::kQuotaReserved);
    const bool has_reservation =
        reserved != nullptr && reserved->status == api::condition_status::kTrue;
    std::string cause;
    if (!has_reservation) {
        cause = reserved == nullptr ? api::reason::kPendingEvaluation : reserved->reason;
    }
    return {admitted == nullptr ? api::reason::kNoReservation : admitted->reason, cause};
}

void add(WorkloadTally::Amounts& sums, const FlavorAmounts& amounts, int sign) {
    for (const auto& [flavor, resources] : amounts) {
        for (const auto& [resource, amount] : resources) {
            const auto at = sums.try_emplace({flavor, resource}).first;
            at->second.sum += WorkloadTally::Sum(sign) * amount;
            at->second.holders += sign;
            if (at->second.holders == 0) {
                sums.erase(at);
            }
        }
    }
}

void add(WorkloadTally::Counts& counts, const metrics::Labels& labels, std::int64_t change) {
    const auto at = counts.try_emplace(labels).first;
    at->second += change;
    if (at->second == 0) {
        counts.erase(at);
    }
}

/// The contribution of one workload to the sums of its queue.
struct Share {
    QueueUsage usage;
    metrics::Labels labels;
};

/// Adds or subtracts a share. Drops the entry when it has no more workloads.
void add(
    std::map<std::string, WorkloadTally::Holders>& all,
    const std::string& cluster_queue,
    const Share& share,
    int sign
) {
    const QueueUsage& of_one = share.usage;
    if (of_one.reserving == 0) {
        return;
    }
    WorkloadTally::Holders& holders = all[cluster_queue];
    holders.reserving += std::int64_t{sign} * of_one.reserving;
    holders.admitted += std::int64_t{sign} * of_one.admitted;
    add(holders.admitted_by_labels, share.labels, std::int64_t{sign} * of_one.admitted);
    add(holders.reservation, of_one.reservation, sign);
    add(holders.usage, of_one.usage, sign);
    if (holders.reserving == 0) {
        all.erase(cluster_queue);
    }
}

}  // namespace

void WorkloadTally::changed(const api::Workload* before, const api::Workload* after) {
    if (before != nullptr) {
        count(*before, Direction::Remove);
    }
    if (after != nullptr) {
        count(*after, Direction::Add);
    }
}

void WorkloadTally::count(const api::Workload& workload, Direction direction) {
    const int sign = static_cast<int>(direction);
    Share share{.usage = {}, .labels = labels_of(workload)};
    count_holder(workload, share.usage);
    const std::pair key{workload.metadata.namespace_, workload.spec.queue_name};
    OfLocalQueue& queue = local_queues_[key];
    queue.workloads += sign;
    if (workload::is_queueable(workload, gates_)) {
        queue.queueable += sign;
        add(queue.queueable_by_labels, share.labels, sign);
    }
    if (is_finished(workload)) {
        queue.finished += sign;
    } else if (!is_admitted(workload)) {
        const auto at = queue.unadmitted.try_emplace(unadmitted_reasons(workload)).first;
        at->second += sign;
        if (at->second == 0) {
            queue.unadmitted.erase(at);
        }
    }
    if (const auto& admission = workload.status.admission) {
        add(queue.holders, admission->cluster_queue, share, sign);
        add(cluster_queues_, admission->cluster_queue, share, sign);
    }
    if (queue.workloads == 0) {
        local_queues_.erase(key);
    }
}

metrics::Labels WorkloadTally::labels_of(const api::Workload& workload) const {
    using enum metrics::LabelSource;
    return custom_.values(Workload, workload.metadata.labels, workload.metadata.annotations);
}

const WorkloadTally::OfLocalQueue& WorkloadTally::of_local_queue(
    const std::string& ns, const std::string& name
) const {
    static const OfLocalQueue kNone;
    const auto found = local_queues_.find({ns, name});
    return found == local_queues_.end() ? kNone : found->second;
}

const WorkloadTally::Holders& WorkloadTally::of_cluster_queue(const std::string& name) const {
    static const Holders kNone;
    const auto found = cluster_queues_.find(name);
    return found == cluster_queues_.end() ? kNone : found->second;
}

std::int64_t to_amount(WorkloadTally::Sum sum) {
    using Limits = std::numeric_limits<std::int64_t>;
    return static_cast<std::int64_t>(
        std::clamp<WorkloadTally::Sum>(sum, Limits::min(), Limits::max())
    );
}

}  // namespace sluice::controller
