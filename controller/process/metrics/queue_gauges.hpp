// Gauges of ClusterQueues and LocalQueues.
#pragma once

#include "controller/process/metrics/workload_tally.hpp"
#include "controller/reconcile/stores.hpp"
#include "engine/state/state.hpp"
#include "metrics/gauge_group.hpp"
#include "metrics/kueue_metrics.hpp"
#include "workload/translation/translator.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// The gauges of ClusterQueues and of the LocalQueues that point to them, reported one ClusterQueue
/// at a time.
class QueueGauges {
  public:
    struct Parts {
        const Stores& stores;
        const workload::Translator& translator;
        const engine::State& state;
        const WorkloadTally& tally;
        metrics::KueueMetrics& metrics;
        const metrics::CustomLabels& custom;
        bool cluster_queue_resources = false;
        bool local_queues = true;
        bool unadmitted = true;  ///< counts of workloads by the reason why they are not admitted
        const api::LabelSelector* local_queue_selector = nullptr;  ///< if nullptr, all of them
    };

    explicit QueueGauges(const Parts& parts) : parts_(parts) {}

    /// Reports the current state of the ClusterQueue with that name, which need not exist, and of
    /// its LocalQueues. Returns the number of pending workloads that were counted, which determines
    /// the cost.
    std::size_t report(const std::string& cluster_queue);
    /// Removes all series of a deleted queue, including counters.
    void remove_cluster_queue(const std::string& name);
    void remove_local_queue(const std::string& ns, const std::string& name);
    /// Call after the registry has dropped all series: each queue's next report creates them again.
    void forget();
    /// Returns the names of all ClusterQueues that exist, were reported, or are named by a
    /// LocalQueue.
    std::vector<std::string> all() const;
    /// Call before the values of a queue's custom labels change.
    void relabel_cluster_queue(const std::string& name);
    void relabel_local_queue(const std::string& ns, const std::string& name);
    /// Returns true if the LocalQueue has metrics (metrics.localQueueMetrics.localQueueSelector).
    bool has_metrics(const api::LocalQueue& queue) const;

  private:
    /// The waiting workloads of a ClusterQueue, as the scheduler sees them.
    struct Waiting {
        std::map<std::string, engine::Amount> requests;  ///< by resource
        std::size_t active_classes = 0;
        std::size_t inadmissible_classes = 0;
        std::size_t parked = 0;
        WorkloadTally::Counts parked_by_labels;
        std::map<engine::LocalQueueIndex, std::size_t> parked_by_local_queue;
    };
    using Group = metrics::GaugeGroup;

    Waiting count_waiting(engine::NodeIndex node) const;
    void report_workloads(Group& group, const std::string& cluster_queue) const;
    void report_pending(Group& group, const api::ClusterQueue& queue, const Waiting& waiting) const;
    void report_counts(Group& group, const api::ClusterQueue& queue, const Waiting& waiting) const;
    void report_waiting(Group& group, const api::ClusterQueue& queue, const Waiting& waiting) const;
    void report_quotas(Group& group, const api::ClusterQueue& queue) const;
    void report_amounts(Group& group, const api::ClusterQueue& queue) const;
    void report_share(Group& group, const api::ClusterQueue& queue) const;
    void report_local_queue(const api::LocalQueue& queue, const Waiting& waiting);
    void report_local_amounts(
        Group& group, const api::LocalQueue& queue, const WorkloadTally::OfLocalQueue& workloads
    ) const;
    void report_fair_usage(Group& group, const api::LocalQueue& queue) const;

    Parts parts_;
    std::map<std::string, Group> cluster_queues_;
    std::map<std::pair<std::string, std::string>, Group> local_queues_;  ///< by namespace, name
};

}  // namespace sluice::controller
