// The order in which a ClusterQueue serves its pending workloads.
#pragma once

#include "engine/state/cluster_queue_record.hpp"
#include "engine/state/workload_record.hpp"

namespace sluice::engine {

/// Compares workloads by the usage of their LocalQueues (under admission fair sharing, the lowest
/// first), then puts the sticky preemptor first, then compares by priority, timestamp and uid.
/// Objects without a uid are compared by namespace/name.
class QueueOrder {
  public:
    /// `by_usage`: admission fair sharing orders this ClusterQueue.
    QueueOrder(
        const WorkloadRecords& workloads,
        const LocalQueueRecords& local_queues,
        const ClusterQueueRecord& cluster_queue,
        bool by_usage
    )
        : workloads_(workloads),
          local_queues_(local_queues),
          sticky_(sticky_of(cluster_queue)),
          by_usage_(by_usage) {}

    /// Returns true if a is served before b.
    bool operator()(WorkloadIndex a, WorkloadIndex b) const {
        if (by_usage_) {
            const double a_usage = usage_of(a);
            const double b_usage = usage_of(b);
            if (a_usage != b_usage) {
                return a_usage < b_usage;
            }
        }
        if ((a == sticky_) != (b == sticky_)) {
            return a == sticky_;
        }
        const WorkloadRecord& x = workloads_[a.at()];
        const WorkloadRecord& y = workloads_[b.at()];
        if (x.priority != y.priority) {
            return x.priority > y.priority;
        }
        return is_before_by_time(x, y);
    }

  private:
    static WorkloadIndex sticky_of(const ClusterQueueRecord& queue) {
        return queue.preemptor.sticky ? queue.preemptor.workload : WorkloadIndex{};
    }
    double usage_of(WorkloadIndex index) const {
        return local_queues_[workloads_[index.at()].local_queue.at()].fair_usage;
    }
    const WorkloadRecords& workloads_;
    const LocalQueueRecords& local_queues_;
    WorkloadIndex sticky_;
    bool by_usage_;
};

}  // namespace sluice::engine
