#pragma once

#include "engine/cluster_queue_record.hpp"
#include "engine/workload_record.hpp"

#include <vector>

namespace sluice::engine {

/// The order in which a ClusterQueue serves its pending workloads (spec 3.2): the sticky preemptor,
/// then higher priority, earlier timestamp, uid; namespace/name for objects without uid.
class QueueOrder {
  public:
    QueueOrder(
        const std::vector<WorkloadRecord>& workloads, const ClusterQueueRecord& cluster_queue
    )
        : workloads_(workloads), sticky_(sticky_of(cluster_queue)) {}

    bool operator()(WorkloadIndex a, WorkloadIndex b) const {
        if ((a == sticky_) != (b == sticky_)) {
            return a == sticky_;
        }
        const WorkloadRecord& x = workloads_[a.at()];
        const WorkloadRecord& y = workloads_[b.at()];
        if (x.priority != y.priority) {
            return x.priority > y.priority;
        }
        if (x.queue_order != y.queue_order) {
            return x.queue_order < y.queue_order;
        }
        if (x.uid != y.uid) {
            return x.uid < y.uid;
        }
        return x.key < y.key;
    }

  private:
    static WorkloadIndex sticky_of(const ClusterQueueRecord& queue) {
        return queue.preemptor.sticky ? queue.preemptor.workload : WorkloadIndex{};
    }
    const std::vector<WorkloadRecord>& workloads_;
    WorkloadIndex sticky_;
};

}  // namespace sluice::engine
