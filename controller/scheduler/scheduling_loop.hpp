#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "controller/scheduler/decision_applier.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "engine/state/audit.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Decides when a scheduling cycle runs: at once while cycles admit or preempt, soon after one that
/// did not, ever later while nothing changes.
class SchedulingLoop {
  public:
    struct Parts {
        engine::State& state;
        StateFeeder& feeder;
        DecisionApplier& applier;
        const WriteSink& sink;
        const Clock& clock;
        /// Told of every cycle that had a head, with the time it took; may be empty.
        std::function<void(const engine::CycleResult&, Duration)> on_cycle;
        /// Told of what every audit found; may be empty.
        std::function<void(const std::vector<engine::AuditFinding>&)> on_audit;
        /// Told of each ClusterQueue whose activity an audit changed.
        std::function<void(const std::string&)> on_activity;
    };

    explicit SchedulingLoop(Parts parts) : parts_(std::move(parts)) {}

    /// Runs what is due, at most one cycle. Returns when to be called again, an instant that has
    /// passed meaning at once; none: when something changes.
    std::optional<Instant> step();

  private:
    /// The present of both clocks, read once a step: delays go by `instant`, what the API shows and
    /// the engine compares with it by `wall`.
    struct Now {
        Instant instant;
        Time wall;
    };

    std::optional<Instant> run_what_is_due(const Now& now);
    std::optional<Instant> after_fruitless_cycle(const Now& now);
    /// When the engine has something due; soon enough to notice that the wall clock was set.
    std::optional<Instant> engine_due(const Now& now) const;
    /// Looks for what is inconsistent in the engine's state, which only a bug makes, and, at once
    /// when it changes, for admissions that cannot be read. Trees that have such a thing admit
    /// nothing until an audit finds none.
    void audit_once_a_minute(const Now& now);
    /// The ClusterQueues that are in an inconsistent tree now, and no others, are inactive.
    void hold_back(Time now);
    void refresh_tree(Time now);

    Parts parts_;
    std::uint64_t changes_seen_ = 0;
    std::uint32_t fruitless_ = 0;  ///< cycles in a row without an admission or preemption
    Instant retry_at_{};
    Instant audit_at_{};
    std::map<engine::NodeIndex, std::string> inconsistent_;  ///< by root: what was found
    std::vector<UnaccountedQuota> unaccounted_;              ///< as StateFeeder says it
};

}  // namespace sluice::controller
