// Remembers which queues have had more quota than nodes can give for some time.
#pragma once

#include "controller/reconcile/reconcile.hpp"
#include "workload/capacity/capacity_report.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// The comparison of a queue's quota with the nodes of its flavors.
struct QuotaDrift {
    enum class State : std::uint8_t {
        Unknown,  ///< too early to say: an earlier report stays
        Within,
        Exceeds
    };
    State state = State::Unknown;
    std::string message;  ///< if it exceeds: both numbers, for each resource and flavor
};

/// Judges the drift of quota against nodes. A queue is reported after its quota exceeds nodes by
/// more than 2 % for ten minutes, so that nodes may restart. A report names other numbers only
/// after they have moved by 2 % of the quota. *Thread*: one.
class QuotaDrifts {
  public:
    static constexpr Duration kPatience = std::chrono::minutes(10);

    /// Takes a report. Returns the ClusterQueues and Cohorts whose drift() has changed.
    std::vector<ObjectKey> observe(const workload::CapacityReport& report, Time now);
    /// Returns the drift of a ClusterQueue or Cohort; Unknown before the first report.
    QuotaDrift drift(const ObjectKey& key) const;

  private:
    struct Excess {
        Time since;
        engine::Amount quota;  ///< in the last report that named it, as is the next
        engine::Amount usable;
        std::string words;  ///< empty until it is reported
    };
    using Excesses = std::map<std::pair<std::string, std::string>, Excess>;  // by flavor, resource

    bool has_observed_ = false;
    std::map<ObjectKey, Excesses> queues_;
};

/// Returns the event that reports a drift. `uid`: that of the ClusterQueue or Cohort.
EventNote drift_event(const ObjectKey& queue, const std::string& uid, const QuotaDrift& drift);

}  // namespace sluice::controller
