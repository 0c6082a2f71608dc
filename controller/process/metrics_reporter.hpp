#pragma once

#include "controller/process/cohort_metrics.hpp"
#include "controller/process/reconcile_runner.hpp"
#include "controller/reconcilers/queue_status.hpp"
#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/stores.hpp"
#include "engine/audit.hpp"
#include "engine/decision.hpp"
#include "engine/state.hpp"
#include "metrics/kueue_metrics.hpp"
#include "metrics/runtime_metrics.hpp"
#include "workload/translator.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sluice::controller {

/// Keeps Kueue's metrics: counters as things happen, gauges from the stores whenever the page is
/// asked for.
class MetricsReporter {
  public:
    struct Parts {
        const Stores& stores;
        const workload::Translator& translator;
        const engine::State& state;
        bool cluster_queue_resources = false;  ///< metrics.enableClusterQueueResources
        bool local_queues = true;              ///< metrics.localQueueMetrics and its gate
        bool cohorts = true;                   ///< gate MetricsForCohorts
        std::string lease = {};                ///< the Lease that is competed for; "": none
        /// By the name of the controller; none: no reconcilers.
        std::function<std::map<std::string, ReconcileRunner::Work>()> work = {};
    };

    explicit MetricsReporter(const Parts& parts);

    /// `standalone`, `follower` or `leader`.
    void set_role(const std::string& role);
    /// A write was accepted that counts.
    void observe(const Observation& observation);
    /// A cycle that had a head.
    void observe_cycle(const engine::CycleResult& result, Duration took);
    /// What an audit of the engine's state found, if anything.
    void observe_audit(const std::vector<engine::AuditFinding>& findings);
    /// The API server answered a request; status 0: it did not.
    void observe_request(const std::string& host, const std::string& method, int status);
    void cluster_queue_removed(const std::string& name) { metrics_.remove_cluster_queue(name); }
    void local_queue_removed(const std::string& ns, const std::string& name) {
        metrics_.remove_local_queue(ns, name);
    }
    /// The page in the Prometheus text format.
    std::string print() const { return registry_.print(); }

  private:
    void observe_local_queue(const Observation& o);
    void report_gauges();
    void report_work();
    void report_workloads();
    void report_cluster_queue(const api::ClusterQueue& queue, const QueueUsage& usage);
    void report_pending(const api::ClusterQueue& queue);
    void report_quotas(const api::ClusterQueue& queue);
    void report_amounts(const api::ClusterQueue& queue, const QueueUsage& usage);
    void report_share(const api::ClusterQueue& queue);
    void report_local_queue(const api::LocalQueue& queue);

    Parts parts_;
    metrics::Registry registry_;
    metrics::KueueMetrics metrics_;
    std::map<std::string, double> audit_findings_;  ///< by name of the root
    metrics::RuntimeMetrics runtime_;
    CohortMetrics cohorts_;
};

}  // namespace sluice::controller
