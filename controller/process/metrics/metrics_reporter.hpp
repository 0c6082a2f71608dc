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

/// Keeps Kueue's metrics. Counters are counted as things happen. Gauges are brought up to date soon
/// after a change, on the loop of the stores, and for the queues that changed; so the page can be
/// printed on any thread, at a cost that depends on its own length alone.
/// Thread: the loop's, except print() and runtime().
class MetricsReporter {
  public:
    struct Parts {
        const Stores& stores;
        const workload::Translator& translator;
        const engine::State& state;
        bool cluster_queue_resources = false;  ///< metrics.enableClusterQueueResources
        bool local_queues = true;              ///< metrics.localQueueMetrics and its gate
        bool unadmitted = true;                ///< gate UnadmittedWorkloadsObservability
        /// metrics.localQueueMetrics.localQueueSelector; none: all
        std::optional<api::LabelSelector> local_queue_selector = {};
        std::vector<metrics::CustomLabel> custom_labels = {};  ///< metrics.customLabels
        bool cohorts = true;                                   ///< gate MetricsForCohorts
        bool creation_latency = true;  ///< gate MetricForWorkloadCreationLatency
        RuntimeReporter::Parts runtime = {};
        std::function<void()> on_dirty = {};  ///< there is something to refresh
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
    /// The machinery's own. Thread: as its functions say.
    RuntimeReporter& runtime() { return runtime_; }

    /// A store has taken a change, and the engine was told.
    void changed(const kube::AnyChange& change);

    /// Brings the gauges of what changed up to date, again and again, until cancelled. `dirty` is
    /// what on_dirty notifies.
    boost::asio::awaitable<void> keep_fresh(net::Notifier* dirty);
    /// The same at once.
    void refresh();
    /// The page in the Prometheus text format. Thread: any.
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
    /// Keeps the values of the object's custom labels; drops its gauges, and says so, where they
    /// are not what they were.
    bool relabel(
        metrics::LabelSource source,
        const std::string& key,
        const api::ObjectMeta& metadata,
        const std::function<void()>& drop_gauges
    );
    void read_custom_labels();
    /// Whether what happened to its workloads is counted for the LocalQueue.
    bool counts_for(const std::string& ns, const std::string& local_queue) const;
    void report_skips(const engine::CycleResult& result);
    void report_audit();
    void report_trees();
    void mark(const std::string& cluster_queue);
    void mark(engine::NodeIndex cluster_queue);
    void mark_queue_of(const api::Workload* workload);
    void mark_all();
    void mark_moved();
    void tell_dirty();
    /// Refreshes a few of the dirty queues; returns how many pending workloads it counted.
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
    std::map<std::string, double> preemption_skips_;  ///< of the last cycle, by ClusterQueue
    std::set<std::string> dirty_;                     ///< ClusterQueues to be reported
    std::set<std::string> dirty_trees_;  ///< ClusterQueues whose cohorts are to be reported
    bool is_shape_dirty_ = false;        ///< all cohorts are
    bool is_all_dirty_ = false;          ///< all ClusterQueues are
    /// By node: how many wait in the heap, and how many are parked, at the last refresh.
    std::vector<std::pair<std::size_t, std::size_t>> waiting_seen_;
};

}  // namespace sluice::controller
