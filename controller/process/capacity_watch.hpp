// Compares quota with nodes again and again.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcilers/quota_drift.hpp"
#include "controller/reconcilers/workload_reports.hpp"
#include "workload/capacity/capacity_report.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Makes the report of capacity every half minute and finds the queues whose quota drifts away from
/// what nodes have. Pods outside quota count while pods are watched. A cluster that has had no
/// node is not judged. Decisions do not depend on it. *Cost*: O(flavors x nodes + pods) a report,
/// at most 1 % of the time. Thread: the loop's.
class CapacityWatch {
  public:
    struct Parts {
        const Stores& stores;
        const Clock& clock;
        std::function<void(const workload::CapacityReport&)> on_report;
        /// Called for each ClusterQueue or Cohort whose drift has changed.
        std::function<void(const ObjectKey&)> on_drift;
        std::function<void(const EventNote&)> on_event;
    };
    explicit CapacityWatch(Parts parts) : parts_(std::move(parts)) {}

    /// Makes the next report if it is due. Returns when to call again.
    std::optional<Instant> step();
    const QuotaDrifts& drifts() const { return drifts_; }

  private:
    void observe();
    void visit_reported_before();
    /// Reports the Workloads whose pods do not fit on nodes, or have no domain.
    void report_workloads(workload::CapacityInput input);
    std::vector<workload::UnplaceablePods> find_unplaced(workload::CapacityInput input);
    void send(const char* reason, const std::vector<WorkloadReports::Report>& reports);

    Parts parts_;
    QuotaDrifts drifts_;
    WorkloadReports beyond_nodes_;
    WorkloadReports faulty_;  // topology assignments
    /// Nodes may all be gone; their resources are quota's to have all the same.
    std::set<std::string> known_resources_;
    Instant due_{};
    bool is_first_ = true;
};

}  // namespace sluice::controller
