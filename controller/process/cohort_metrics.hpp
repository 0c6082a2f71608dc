#pragma once

#include "engine/state.hpp"
#include "metrics/kueue_metrics.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace sluice::controller {

/// Metrics of cohorts, and of the place that ClusterQueues have among them. Trees with a cycle of
/// parents have no gauges.
class CohortMetrics {
  public:
    /// Lifetime: state and metrics must outlive it.
    CohortMetrics(const engine::State& state, metrics::KueueMetrics& metrics)
        : state_(state), metrics_(metrics) {}

    /// Counts an admission in every cohort above the ClusterQueue.
    void count_admission(const std::string& cluster_queue, const std::string& priority_class);
    /// Reports all gauges anew, and drops the counters of cohorts that are gone. `admitted`: the
    /// unfinished admitted workloads by ClusterQueue.
    void report(const std::map<std::string, std::int32_t>& admitted);

  private:
    /// What the ClusterQueues below a cohort have together.
    struct Sums {
        engine::Usages reserved;
        std::int32_t admitted = 0;
    };

    void clear();
    void report_place(const engine::QuotaTree::Node& cluster_queue);
    void report_cohort(engine::NodeIndex index, const Sums& sums);

    const engine::State& state_;
    metrics::KueueMetrics& metrics_;
    std::set<std::string> cohorts_;  ///< that were there at the last report
};

}  // namespace sluice::controller
