#include "metrics/runtime_metrics.hpp"

#include <string>
#include <utility>

namespace sluice::metrics {

namespace {

Definition define(std::string name, std::string help, std::vector<std::string> labels = {}) {
    return {
        .name = std::move(name),
        .help = std::move(help),
        .labels = std::move(labels),
        .has_role = false,
    };
}

Definition define_histogram(
    std::string name, std::string help, std::vector<std::string> labels, std::vector<double> buckets
) {
    Definition made = define(std::move(name), std::move(help), std::move(labels));
    made.buckets = std::move(buckets);
    return made;
}

}  // namespace

RuntimeMetrics::RuntimeMetrics(Registry& registry)
    : leader_election_master_status(
          registry,
          define(
              "leader_election_master_status",
              "1 for the replica that holds the lease, 0 for the others",
              {"name"}
          )
      ),
      controller_runtime_reconcile_total(
          registry,
          define(
              "controller_runtime_reconcile_total",
              "Reconciles, by result (success, requeue_after, error)",
              {"controller", "result"}
          )
      ),
      controller_runtime_reconcile_errors_total(
          registry,
          define(
              "controller_runtime_reconcile_errors_total",
              "Reconciles that ended in an error",
              {"controller"}
          )
      ),
      controller_runtime_reconcile_time_seconds(
          registry,
          define_histogram(
              "controller_runtime_reconcile_time_seconds",
              "How long a reconcile took, until its writes were answered",
              {"controller"},
              reconcile_buckets()
          )
      ),
      controller_runtime_active_workers(
          registry,
          define("controller_runtime_active_workers", "Reconciles under way", {"controller"})
      ),
      controller_runtime_max_concurrent_reconciles(
          registry,
          define(
              "controller_runtime_max_concurrent_reconciles",
              "How many reconciles may write at a time, of all controllers together",
              {"controller"}
          )
      ),
      workqueue_depth(
          registry,
          define(
              "workqueue_depth",
              "Objects that wait to be reconciled",
              {"controller", "name", "priority"}
          )
      ),
      workqueue_adds_total(
          registry,
          define(
              "workqueue_adds_total",
              "Objects added to the queue to be reconciled",
              {"controller", "name"}
          )
      ),
      workqueue_retries_total(
          registry,
          define(
              "workqueue_retries_total",
              "Objects that are reconciled again after a failure",
              {"controller", "name"}
          )
      ),
      workqueue_queue_duration_seconds(
          registry,
          define_histogram(
              "workqueue_queue_duration_seconds",
              "How long an object waited in the queue before it was reconciled",
              {"controller", "name"},
              machine_buckets()
          )
      ),
      workqueue_work_duration_seconds(
          registry,
          define_histogram(
              "workqueue_work_duration_seconds",
              "How long a reconcile took, until its writes were answered",
              {"controller", "name"},
              machine_buckets()
          )
      ),
      workqueue_unfinished_work_seconds(
          registry,
          define(
              "workqueue_unfinished_work_seconds",
              "How long the reconciles under way have taken so far, all together",
              {"controller", "name"}
          )
      ),
      workqueue_longest_running_processor_seconds(
          registry,
          define(
              "workqueue_longest_running_processor_seconds",
              "How long the longest of the reconciles under way has taken so far",
              {"controller", "name"}
          )
      ),
      controller_runtime_webhook_requests_total(
          registry,
          define(
              "controller_runtime_webhook_requests_total",
              "Requests to a webhook, by the HTTP status of the answer",
              {"code", "webhook"}
          )
      ),
      controller_runtime_webhook_requests_in_flight(
          registry,
          define(
              "controller_runtime_webhook_requests_in_flight",
              "Requests to a webhook that are being answered",
              {"webhook"}
          )
      ),
      controller_runtime_webhook_latency_seconds(
          registry,
          define_histogram(
              "controller_runtime_webhook_latency_seconds",
              "How long the answer to a request to a webhook took",
              {"webhook"},
              machine_buckets()
          )
      ),
      rest_client_requests_total(
          registry,
          define(
              "rest_client_requests_total",
              "Requests to the API server by the status of the answer",
              {"code", "host", "method"}
          )
      ),
      process_cpu_seconds_total(
          registry,
          define(
              "process_cpu_seconds_total",
              "Processor time that the process has used, in user and system mode"
          )
      ),
      process_max_fds(
          registry, define("process_max_fds", "How many file descriptors the process may have open")
      ),
      process_open_fds(
          registry, define("process_open_fds", "How many file descriptors the process has open")
      ),
      process_resident_memory_bytes(
          registry,
          define("process_resident_memory_bytes", "Memory of the process that is resident")
      ),
      process_start_time_seconds(
          registry,
          define("process_start_time_seconds", "When the process started, in seconds since 1970")
      ),
      process_virtual_memory_bytes(
          registry, define("process_virtual_memory_bytes", "Address space of the process")
      ),
      sluice_events_dropped_total(
          registry,
          define(
              "sluice_events_dropped_total",
              "Events that were not written because more came than the API server takes"
          )
      ),
      sluice_journal_bytes_total(
          registry, define("sluice_journal_bytes_total", "Compressed bytes written to the journal")
      ),
      sluice_journal_gap(
          registry,
          define(
              "sluice_journal_gap",
              "Times since the start that the journal lost entries, for want of room or a failed "
              "write"
          )
      ),
      sluice_reconcile_failing_objects(
          registry,
          define(
              "sluice_reconcile_failing_objects",
              "Objects whose reconciles have failed for a minute or longer",
              {"controller"}
          )
      ) {}

std::vector<double> reconcile_buckets() {
    return {.005, .01, .025, .05, .1,   .15, .2,   .25, .3,  .35, .4,  .45, .5,  .6,
            .7,   .8,  .9,   1,   1.25, 1.5, 1.75, 2,   2.5, 3,   3.5, 4,   4.5, 5,
            6,    7,   8,    9,   10,   15,  20,   25,  30,  40,  50,  60};
}

}  // namespace sluice::metrics
