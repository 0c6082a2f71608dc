// Metrics of reconciles, work queues, webhooks, requests and the process.
#pragma once

#include "metrics/registry.hpp"

#include <vector>

namespace sluice::metrics {

/// Metrics of the machinery below the controllers, under the names that controller-runtime,
/// client-go and Prometheus' client use. The comment of a metric lists its labels in order. No
/// metric has `replica_role`.
struct RuntimeMetrics {
    explicit RuntimeMetrics(Registry& registry);

    Gauge leader_election_master_status;                   ///< name
    Counter controller_runtime_reconcile_total;            ///< controller, result
    Counter controller_runtime_reconcile_errors_total;     ///< controller
    Histogram controller_runtime_reconcile_time_seconds;   ///< controller
    Gauge controller_runtime_active_workers;               ///< controller
    Gauge controller_runtime_max_concurrent_reconciles;    ///< controller
    Gauge workqueue_depth;                                 ///< controller, name, priority
    Counter workqueue_adds_total;                          ///< controller, name
    Counter workqueue_retries_total;                       ///< controller, name
    Histogram workqueue_queue_duration_seconds;            ///< controller, name
    Histogram workqueue_work_duration_seconds;             ///< controller, name
    Gauge workqueue_unfinished_work_seconds;               ///< controller, name
    Gauge workqueue_longest_running_processor_seconds;     ///< controller, name
    Counter controller_runtime_webhook_requests_total;     ///< code, webhook
    Gauge controller_runtime_webhook_requests_in_flight;   ///< webhook
    Histogram controller_runtime_webhook_latency_seconds;  ///< webhook
    Counter rest_client_requests_total;                    ///< code, host, method
    Counter process_cpu_seconds_total;
    Gauge process_max_fds;
    Gauge process_open_fds;
    Gauge process_resident_memory_bytes;
    Gauge process_start_time_seconds;
    Gauge process_virtual_memory_bytes;
    Counter sluice_events_dropped_total;
    Counter sluice_journal_bytes_total;
    Gauge sluice_journal_gap;
    Gauge sluice_reconcile_failing_objects;  ///< controller
};

/// Returns the bounds of controller_runtime_reconcile_time_seconds: 5 ms to one minute.
std::vector<double> reconcile_buckets();

}  // namespace sluice::metrics
