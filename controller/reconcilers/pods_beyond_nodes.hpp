// Reports each Workload whose pods do not fit on nodes, once and from time to time.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "workload/capacity/capacity_report.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sluice::controller {

/// Finds the Workloads to report, whose pods do not all fit on nodes: after two minutes, so that
/// nodes may restart, when the numbers have changed, and each hour again, because events end.
/// *Thread*: one.
class BeyondNodesReports {
  public:
    static constexpr Duration kPatience = std::chrono::minutes(2);
    static constexpr Duration kRepeat = std::chrono::hours(1);
    /// Workloads that are reported at a time; the others follow later.
    static constexpr std::size_t kReportedMax = 100;

    struct Report {
        std::string workload;  ///< "namespace/name"
        std::string words;
    };
    /// Takes what a report found. Returns the Workloads to report now.
    std::vector<Report> observe(const std::vector<workload::UnplaceablePods>& found, Time now);

  private:
    struct Known {
        Time since;
        Time reported;
        std::string words;  ///< those reported last; empty before
    };
    std::map<std::string, Known> known_;
};

/// Returns the event that reports it on the Workload.
EventNote beyond_nodes_event(const api::Workload& workload, const std::string& words);

}  // namespace sluice::controller
