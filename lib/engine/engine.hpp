// The interface of the decision engine: state, time and events in, decisions out.
#pragma once

#include "engine/state/cycle_decision.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/event.hpp"

#include <optional>
#include <vector>

/// The engine has no clock, no I/O and no randomness. One thread at a time uses a state.
namespace sluice::engine {

/// Applies one change of the cluster to the state, and wakes the parked workloads that it may help:
/// those in the whole tree of cohorts that it affects.
void apply(State& state, const Event& event, Time now);

/// Adjusts the state after the wall clock was set forward by `by` (negative: back) and now shows
/// `now`. The engine's own delays (wake batches, refused admissions, samples of usage) keep their
/// lengths; times in objects keep their values.
void step_clock(State& state, Duration by, Time now);

/// Works out what events have left to be worked out: trees of cohorts with a cycle of parents or a
/// sum beyond 64 bits, and topologies with new domains. Other events leave nothing to do.
void refresh(State& state);

/// Decides one scheduling cycle: at most one head a ClusterQueue. Requires: the state is fresh,
/// which it is after refresh().
CycleDecision decide(const State& state, Time now, Recording recording = Recording::Explanations);

/// Decides what a cycle would do with the workload if it were the only head and its flavors had not
/// been searched before. Requires: the state is fresh; the workload holds no quota and names a
/// ClusterQueue that exists. The decision is not to be committed.
CycleResult decide_alone(const State& state, WorkloadIndex workload, Time now);

/// Makes the state what the decision says: admitted workloads hold their quota, victims count as
/// being evicted, the others are back in their queues. Requires: the decision was made of this
/// state or of a fork, and the state has not changed since. Returns the decisions for others.
CycleResult commit(State& state, CycleDecision decision);

/// Decides one scheduling cycle and commits it.
CycleResult run_cycle(State& state, Time now, Recording recording = Recording::Explanations);

/// Returns when the next TimerFired event is due (wake batches, ends of back-off, samples of
/// usage); nullopt if nothing waits for time.
std::optional<Time> next_due(const State& state);

/// Returns the workloads that may have entered or left a queue, or changed their place in it, since
/// the last call. The first call returns all pending workloads, and the state records changes only
/// from then on. With this, a caller keeps an index of pending workloads at the cost of the
/// changes; before the first call, nothing is recorded.
std::vector<WorkloadIndex> take_queue_changes(State& state);

}  // namespace sluice::engine
