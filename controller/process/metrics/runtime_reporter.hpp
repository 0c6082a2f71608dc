#pragma once

#include "controller/process/runner/reconcile_runner.hpp"
#include "metrics/runtime_metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace sluice::controller {

/// Keeps the metrics of what runs under the controllers: reconciles, requests, the lease, dropped
/// events and the process itself.
/// Thread: the loop's, except where a function says otherwise.
class RuntimeReporter {
  public:
    struct Parts {
        std::string lease = {};  ///< the Lease that is competed for; "": none
        /// By the name of the controller; none: no reconcilers.
        std::function<std::map<std::string, ReconcileRunner::Work>()> work = {};
        std::size_t rows_max = 0;  ///< reconciles that may write at a time
        /// Events that were dropped since the start; none: no events.
        std::function<std::uint64_t()> dropped_events = {};
        bool process = false;  ///< process_*, of this process
    };

    RuntimeReporter(metrics::Registry& registry, Parts parts);

    /// `standalone`, `follower` or `leader`.
    void set_role(const std::string& role);
    /// The API server answered a request; status 0: it did not. Thread: any.
    void observe_request(const std::string& host, const std::string& method, int status);
    /// Brings what is not counted as it happens up to date.
    void report();
    /// The same of the process, right before a page is printed. Thread: any, one at a time.
    void report_process();
    /// For what counts by itself.
    metrics::RuntimeMetrics& metrics() { return metrics_; }

  private:
    void report_work();

    Parts parts_;
    metrics::RuntimeMetrics metrics_;
};

}  // namespace sluice::controller
