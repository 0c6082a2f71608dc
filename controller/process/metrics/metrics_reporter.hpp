// Keeps Kueue's metrics up to date and prints them.
#pragma once

#include "controller/process/metrics/cohort_metrics.hpp"
#include "controller/process/metrics/queue_gauges.hpp"
#include "controller/process/metrics/runtime_reporter.hpp"
#include "controller/process/metrics/workload_tally.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"
#include "engine/state/audit.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "kube/runtime/any_store.hpp"
#include "kube/runtime/store.hpp"
#include "metrics/gauge_group.hpp"
#include "metrics/kueue_metrics.hpp"
#include "net/loop/event_loop.hpp"
#include "workload/capacity/capacity_report.hpp"
#include "workload/translation/translator.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Keeps Kueue's metrics. Counters are counted as things happen. Gauges are updated soon after a
/// change, on the loop of the stores, only for the changed queues. So the page can be printed on
/// any thread, at a cost that depends only on its length. Thread: the loop's, except print() and
/// runtime().
class MetricsReporter {
  public:
    struct Parts {
        const Stores& stores;
        const workload::Translator& translator;
        const engine::State& state;
        bool cluster_queue_resources = false;  ///< metrics.enableClusterQueueResources
        bool local_queues = true;              ///< metrics.localQueueMetrics and its gate
        bool unadmitted = true;                ///< gate UnadmittedWorkloadsObservability
        /// metrics.localQueueMetrics.localQueueSelector; without it, all LocalQueues have metrics.
        std::optional<api::LabelSelector> local_queue_selector = {};
        std::vector<metrics::CustomLabel> custom_labels = {};  ///< metrics.customLabels
        bool cohorts = true;                                   ///< gate MetricsForCohorts
        bool creation_latency = true;  ///< gate MetricForWorkloadCreationLatency
        RuntimeReporter::Parts runtime = {};
        std::function<void()> on_dirty = {};  ///< called when there is something to refresh
    };

    explicit MetricsReporter(const Parts& parts);

    /// Sets the role label: `standalone`, `follower` or `leader`.
    void set_role(const std::string& role);
    /// Counts an observation of an accepted write.
    void observe(const Observation& observation);
    /// Counts a cycle that had a head.
    void observe_cycle(const engine::CycleResult& result, Duration took);
    /// Reports the findings of an audit of the engine's state, if any.
    void observe_audit(const std::vector<engine::AuditFinding>& findings);
    /// Reports what the nodes of flavors have.
    void observe_capacity(const workload::CapacityReport& report);
    /// Metrics of the process and its controllers. Thread: see its functions.
    RuntimeReporter& runtime() { return runtime_; }

    /// Call after a store has changed and the engine was updated.
    void changed(const kube::AnyChange& change);

    /// Refreshes the gauges of changed queues repeatedly, until cancelled. `dirty` is the notifier
    /// that on_dirty notifies.
    boost::asio::awaitable<void> keep_fresh(net::Notifier* dirty);
    /// Returns the page in the Prometheus text format. Thread: any.
    std::string print() {
        runtime_.report_process();
        return registry_.print();
    }

  private:
    void observe_local_queue(const Observation& o);
    void count_transition(const api::Workload& before, const api::Workload& after);
    void count_end(const api::Workload& workload);
    void workload_changed(const kube::Change<api::Workload>& change);
    void local_queue_changed(const kube::Change<api::LocalQueue>& change);
    void cluster_queue_changed(const kube::Change<api::ClusterQueue>& change);
    void cohort_changed(const kube::Change<api::Cohort>& change);
    void observe_creation(const Observation& o);
    /// Stores the values of the object's custom labels. If they differ from before, drops its
    /// gauges and returns true.
    bool relabel(
        metrics::LabelSource source,
        const std::string& key,
        const api::ObjectMeta& metadata,
        const std::function<void()>& drop_gauges
    );
    void read_custom_labels();
    /// Returns true if observations of its workloads are counted for the LocalQueue.
    bool counts_for(const std::string& ns, const std::string& local_queue) const;
    void report_skips(const engine::CycleResult& result);
    void report_audit();
    void report_trees();
    void mark(const std::string& cluster_queue);
    void mark(engine::NodeIndex cluster_queue);
    void mark_queue_of(const api::Workload* workload);
    void mark_all();
    void mark_moved();
    void report_dirty();
    /// Refreshes a few of the dirty queues. Returns the number of pending workloads that it
    /// counted.
    std::size_t refresh_some();

    Parts parts_;
    metrics::CustomLabels custom_;
    metrics::Registry registry_;
    metrics::KueueMetrics metrics_;
    RuntimeReporter runtime_;
    WorkloadTally tally_;
    QueueGauges queues_;
    CohortMetrics cohorts_;
    std::map<std::string, double> audit_findings_;  ///< by name of the root
    metrics::GaugeGroup audit_group_;
    metrics::GaugeGroup capacity_group_;
    std::map<std::string, double> preemption_skips_;  ///< of the last cycle, by ClusterQueue
    std::set<std::string> dirty_;                     ///< ClusterQueues to be reported
    std::set<std::string> dirty_trees_;  ///< ClusterQueues whose cohorts are to be reported
    bool is_shape_dirty_ = false;        ///< all cohorts are to be reported
    bool is_all_dirty_ = false;          ///< all ClusterQueues are to be reported
    /// A ClusterQueue at the last refresh.
    struct Seen {
        std::string name;
        std::size_t waiting = 0;
        std::size_t parked = 0;
    };
    std::vector<Seen> seen_;  ///< by node, which may be another ClusterQueue's by now
};

}  // namespace sluice::controller
