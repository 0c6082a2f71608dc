// Reports metrics of controllers, requests, the lease and the process.
#pragma once

#include "controller/process/runner/reconcile_runner.hpp"
#include "journal/journal.hpp"
#include "metrics/runtime_metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace sluice::controller {

/// Keeps the metrics of the machinery: reconciles, requests, the lease, dropped events and the
/// process itself. Thread: the loop's, unless a function states otherwise.
class RuntimeReporter {
  public:
    struct Parts {
        std::string lease = {};  ///< name of the Lease; empty without leader election
        /// Returns the work by the name of the controller; empty without reconcilers.
        std::function<std::map<std::string, ReconcileRunner::Work>()> work = {};
        std::size_t rows_max = 0;  ///< number of reconciles that may write at a time
        /// Returns the number of events that were dropped since the start; if it is empty, no
        /// events are sent.
        std::function<std::uint64_t()> dropped_events = {};
        const journal::Journal* journal = nullptr;  ///< if it is nullptr, no journal is written
        bool process = false;                       ///< reports process_* of this process
    };

    RuntimeReporter(metrics::Registry& registry, Parts parts);

    /// Sets the role: `standalone`, `follower` or `leader`.
    void set_role(const std::string& role);
    /// Counts a request to the API server; status 0 means that no response was received. Thread:
    /// any.
    void observe_request(const std::string& host, const std::string& method, int status);
    /// Updates the values that are not counted as they happen.
    void report();
    /// Updates the values of the process, right before a page is printed. Thread: any, one at a
    /// time.
    void report_process();
    /// For callers that count directly.
    metrics::RuntimeMetrics& metrics() { return metrics_; }

  private:
    void report_work();

    Parts parts_;
    metrics::RuntimeMetrics metrics_;
};

}  // namespace sluice::controller
