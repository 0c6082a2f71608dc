// Reports each Workload with a problem once and from time to time.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "workload/capacity/capacity_report.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sluice::controller {

/// Finds the Workloads to report, of those that have a problem now: after two minutes, so that
/// nodes may restart, when the words have changed, and each hour again, because events end.
/// *Thread*: one.
class WorkloadReports {
  public:
    static constexpr Duration kPatience = std::chrono::minutes(2);
    static constexpr Duration kRepeat = std::chrono::hours(1);
    /// Workloads that are reported at a time; the others follow later.
    static constexpr std::size_t kReportedMax = 100;

    struct Report {
        std::string workload;  ///< "namespace/name"
        std::string words;
    };
    /// Takes the problems of all Workloads by "namespace/name". Returns those to report now.
    std::vector<Report> observe(std::map<std::string, std::string> problems, Time now);

  private:
    struct Known {
        Time since;
        Time reported;
        std::string words;  ///< those reported last; empty before
    };
    std::map<std::string, Known> known_;
};

/// Returns the podSets that do not fit on nodes as the problems of their Workloads. `beyond`: those
/// that would not fit even if nothing else ran (find_pods_beyond_nodes()). `unplaced`: admitted
/// ones with pods that find no node now (CapacityReport::unplaceable); named for the other
/// Workloads.
std::map<std::string, std::string> problems_of(
    const std::vector<workload::UnplaceablePods>& beyond,
    const std::vector<workload::UnplaceablePods>& unplaced
);

/// Returns the event that reports a problem on its Workload.
EventNote problem_event(
    const api::Workload& workload, const char* reason, const std::string& words
);

}  // namespace sluice::controller
