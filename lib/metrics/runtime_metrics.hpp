#pragma once

#include "metrics/registry.hpp"

namespace sluice::metrics {

/// Metrics of the machinery under the controllers, under the names that controller-runtime and
/// client-go give them. Label values are given in the order of the comment; none has
/// `replica_role`.
struct RuntimeMetrics {
    explicit RuntimeMetrics(Registry& registry);

    Gauge leader_election_master_status;                ///< name
    Counter controller_runtime_reconcile_total;         ///< controller, result
    Counter controller_runtime_reconcile_errors_total;  ///< controller
    Gauge workqueue_depth;                              ///< controller, name
    Counter workqueue_adds_total;                       ///< controller, name
    Counter workqueue_retries_total;                    ///< controller, name
    Counter rest_client_requests_total;                 ///< code, host, method
};

}  // namespace sluice::metrics
