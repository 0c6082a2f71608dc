#pragma once

#include "controller/process/metrics/workload_tally.hpp"
#include "engine/state/state.hpp"
#include "metrics/gauge_group.hpp"
#include "metrics/kueue_metrics.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::controller {

/// Metrics of cohorts, and of the place that ClusterQueues have among them. Trees with a cycle of
/// parents have no gauges.
class CohortMetrics {
  public:
    /// Lifetime: all must outlive it.
    CohortMetrics(
        const engine::State& state, const WorkloadTally& tally, metrics::KueueMetrics& metrics
    )
        : state_(state), tally_(tally), metrics_(metrics) {}

    /// Counts an admission in every cohort above the ClusterQueue.
    void count_admission(const std::string& cluster_queue, const std::string& priority_class);
    /// Reports all trees, and drops the counters of cohorts that are gone. Requires: the engine's
    /// tree is not stale.
    void report_all();
    /// Reports the tree that the ClusterQueue is in, whose shape is that of the last report_all().
    /// Requires: as above.
    void report_tree_of(const std::string& cluster_queue);
    /// All series were dropped by the registry; report_all() makes them anew.
    void forget();
    /// The Cohort object was deleted: its series go, counters too. While others still name it, it
    /// is reported again from the next admission below it or the next change of a ClusterQueue in
    /// it.
    void remove(const std::string& cohort);
    void show(const std::string& cohort) { hidden_.erase(cohort); }
    /// The values of the cohort's custom labels are about to change.
    void relabel(const std::string& cohort);
    /// The same as forget() of what is said about that ClusterQueue.
    void forget_cluster_queue(const std::string& name);

  private:
    /// What the ClusterQueues below a cohort have together.
    struct Sums {
        engine::Usages reserved;
        std::int64_t admitted = 0;
    };

    void report_tree(engine::NodeIndex root);
    void report_place(const engine::QuotaTree::Node& cluster_queue);
    void report_cohort(engine::NodeIndex index, const Sums& sums);
    /// All nodes of a tree without a cycle.
    std::vector<engine::NodeIndex> nodes_of(engine::NodeIndex root) const;

    const engine::State& state_;
    const WorkloadTally& tally_;
    metrics::KueueMetrics& metrics_;
    std::map<std::string, metrics::GaugeGroup> cohorts_;  ///< that were there at the last report
    std::map<std::string, metrics::GaugeGroup> places_;   ///< by ClusterQueue
    std::set<std::string> hidden_;                        ///< cohorts that are not reported
};

}  // namespace sluice::controller
