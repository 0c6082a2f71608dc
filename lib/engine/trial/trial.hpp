// Tries changes on a fork of a state: which workloads they would start and evict at once.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::engine {

/// How far Trial::run() goes.
struct TrialLimits {
    /// The tree of cohorts in which workloads that are being evicted stop at once; all trees if it
    /// is invalid. Others keep their quota.
    NodeIndex root;
    std::size_t cycles = 10'000;
    std::uint64_t turns = 1'000'000;  ///< turns of heads, over all cycles
};

/// The outcome of Trial::run(). Names are "namespace/name"; indices are of the trial's state.
struct TrialOutcome {
    struct Admitted {
        std::string workload;
        AdmissionDecision decision;
    };
    struct Evicted {
        std::string workload;
        std::string preemptor;  ///< empty if no node replaces a failed one of the workload
    };
    std::vector<Admitted> admitted;  ///< in the order of the decisions
    std::vector<Evicted> evicted;    ///< in the order of the decisions
    /// Nothing more would change at once. If false, a limit ended the run.
    bool is_stable = true;

    /// Returns the last admission of the workload, unless it was evicted after that; or nullptr.
    const Admitted* find_admitted(std::string_view workload) const;

  private:
    friend class Trial;
    struct Turn {
        std::string workload;
        bool is_admission = false;
        std::size_t position = 0;  // in `admitted` or `evicted`
    };
    std::vector<Turn> turns_;
};

/// A fork of a state on which changes are tried, at one moment. The other state stays as it is.
class Trial {
  public:
    Trial(const State& state, Time now) : state_(state.fork()), now_(now) {}

    const State& state() const { return state_; }
    void apply(const Event& event);
    /// Returns what a cycle would do with the workload if it were the only head. Requires: it waits
    /// in a ClusterQueue that exists.
    CycleResult decide_alone(WorkloadIndex workload);
    /// Runs cycles until nothing changes: decisions are written at once, evicted workloads stop at
    /// once and queue again, and wake-ups are not gathered.
    TrialOutcome run(const TrialLimits& limits = {});

  private:
    void wake();
    void release_evicted(NodeIndex root);
    void release(WorkloadIndex workload);
    /// Takes what the cycle decided. Returns true if it admitted, evicted, placed or parked a
    /// workload.
    bool take(const CycleResult& result, TrialOutcome& outcome);
    std::size_t fruitless_max() const;
    /// Returns true if a workload has been evicted so often that workloads evict each other without
    /// end.
    static bool evict_each_other(const TrialOutcome& outcome);

    State state_;
    Time now_;
};

}  // namespace sluice::engine
