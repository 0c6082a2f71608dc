// Runs the engine's driver on the controller's clocks, and audits the engine's state once a minute.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/node_name.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "engine/driver/driver.hpp"
#include "engine/state/audit.hpp"
#include "engine/types/decision.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Runs the engine's driver on the controller's clocks, and sends the decisions to the applier.
class SchedulingLoop {
  public:
    struct Parts {
        engine::Driver& driver;
        StateFeeder& feeder;
        DecisionApplier& applier;
        const WriteSink& sink;
        const Clock& clock;
        /// Called after every cycle that had a head, with the time it took; may be empty.
        std::function<void(const engine::CycleResult&, Duration)> on_cycle;
        /// Called after every audit with its findings; may be empty.
        std::function<void(const std::vector<engine::AuditFinding>&)> on_audit;
        /// Called for each ClusterQueue whose activity an audit changed; may be empty.
        std::function<void(const std::string&)> on_activity;
    };

    explicit SchedulingLoop(Parts parts) : parts_(std::move(parts)) {}

    /// Runs the work that is due, at most one cycle. Returns when to call it again (an instant in
    /// the past means at once); nullopt if only a change makes that necessary.
    std::optional<Instant> step();

  private:
    /// The present time on both clocks, read once a step. Delays use `instant`; times that the API
    /// shows, and that the engine compares with them, use `wall`.
    struct Now {
        Instant instant;
        Time wall;
    };

    std::optional<Instant> run_what_is_due(const Now& now);
    /// Looks for inconsistencies in the engine's state, which only a bug causes, and for quota that
    /// cannot be read. If the unreadable quota changes, the audit runs at once. A tree with such a
    /// finding admits nothing until an audit finds none.
    void audit_once_a_minute(const Now& now);
    /// Makes exactly the ClusterQueues in inconsistent trees inactive.
    void hold_back(Time now);

    Parts parts_;
    Instant audit_at_{};
    std::map<NodeName, std::string> inconsistent_;  ///< by root: its first finding
    std::vector<UnaccountedQuota> unaccounted_;  ///< the last result of StateFeeder::unaccounted()
};

}  // namespace sluice::controller
