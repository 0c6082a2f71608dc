// Reports metrics of cohorts and of the place of ClusterQueues in them.
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

/// Reports the metrics of cohorts, and the place of each ClusterQueue among them. Trees with a
/// cycle of parents have no gauges.
class CohortMetrics {
  public:
    /// Lifetime: all arguments must outlive this object.
    CohortMetrics(
        const engine::State& state, const WorkloadTally& tally, metrics::KueueMetrics& metrics
    )
        : state_(state), tally_(tally), metrics_(metrics) {}

    /// Counts an admission in every cohort above the ClusterQueue.
    void count_admission(const std::string& cluster_queue, const std::string& priority_class);
    /// Reports all trees, and drops the counters of removed cohorts. Requires: the engine's tree is
    /// not stale.
    void report_all();
    /// Reports the tree of the ClusterQueue, whose shape must be that of the last report_all().
    /// Requires: the engine's tree is not stale.
    void report_tree_of(const std::string& cluster_queue);
    /// Call after the registry has dropped all series; report_all() creates them again.
    void forget();
    /// Removes all series of a deleted Cohort, including counters. While other objects still name
    /// it, it is reported again from the next admission below it or the next change of a
    /// ClusterQueue in it.
    void remove(const std::string& cohort);
    void show(const std::string& cohort) { hidden_.erase(cohort); }
    /// Call before the values of the cohort's custom labels change.
    void relabel(const std::string& cohort);
    /// Does what forget() does, for the series of one ClusterQueue.
    void forget_cluster_queue(const std::string& name);

  private:
    /// Sums over the ClusterQueues below a cohort.
    struct Sums {
        engine::Usages reserved;
        std::int64_t admitted = 0;
    };

    void report_tree(engine::NodeIndex root);
    void report_place(const engine::QuotaTree::Node& cluster_queue);
    void report_cohort(engine::NodeIndex index, const Sums& sums);
    /// Returns all nodes of a tree without a cycle, parents first.
    std::vector<engine::NodeIndex> nodes_of(engine::NodeIndex root) const;

    const engine::State& state_;
    const WorkloadTally& tally_;
    metrics::KueueMetrics& metrics_;
    std::map<std::string, metrics::GaugeGroup> cohorts_;  ///< of the cohorts in the last report
    std::map<std::string, metrics::GaugeGroup> places_;   ///< by ClusterQueue
    std::set<std::string> hidden_;                        ///< cohorts that are not reported
};

}  // namespace sluice::controller
