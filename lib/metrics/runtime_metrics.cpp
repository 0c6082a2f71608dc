#include "metrics/runtime_metrics.hpp"

namespace sluice::metrics {

RuntimeMetrics::RuntimeMetrics(Registry& registry)
    : leader_election_master_status(
          registry,
          {.name = "leader_election_master_status",
           .help = "1 for the replica that holds the lease, 0 for the others",
           .labels = {"name"},
           .has_role = false}
      ),
      controller_runtime_reconcile_total(
          registry,
          {.name = "controller_runtime_reconcile_total",
           .help = "Reconciles, by result (success, requeue_after, error)",
           .labels = {"controller", "result"},
           .has_role = false}
      ),
      controller_runtime_reconcile_errors_total(
          registry,
          {.name = "controller_runtime_reconcile_errors_total",
           .help = "Reconciles that ended in an error",
           .labels = {"controller"},
           .has_role = false}
      ),
      workqueue_depth(
          registry,
          {.name = "workqueue_depth",
           .help = "Objects that wait to be reconciled",
           .labels = {"controller", "name"},
           .has_role = false}
      ),
      workqueue_adds_total(
          registry,
          {.name = "workqueue_adds_total",
           .help = "Objects added to the queue to be reconciled",
           .labels = {"controller", "name"},
           .has_role = false}
      ),
      workqueue_retries_total(
          registry,
          {.name = "workqueue_retries_total",
           .help = "Objects that are reconciled again after a failure",
           .labels = {"controller", "name"},
           .has_role = false}
      ),
      rest_client_requests_total(
          registry,
          {.name = "rest_client_requests_total",
           .help = "Requests to the API server by the status of the answer",
           .labels = {"code", "host", "method"},
           .has_role = false}
      ) {}

}  // namespace sluice::metrics
