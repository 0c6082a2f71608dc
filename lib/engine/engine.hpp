#pragma once

#include "engine/state/cycle_decision.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/event.hpp"

#include <optional>
#include <vector>

/// The contract: (state, now, event) in, decisions out. No clock, no I/O, no randomness, one
/// thread.
namespace sluice::engine {

/// Takes one change of the cluster into the state and wakes the workloads that it may help: those
/// parked in the whole tree of cohorts that it concerns.
void apply(State& state, const Event& event, Time now);

/// The wall clock was set forth by so much (back: negative) and shows `now` since. Delays of the
/// engine's own (wake batches, refused admissions, samples of usage) stay as long as they were; the
/// times that objects name stay what they are.
void step_clock(State& state, Duration by, Time now);

/// Works out the trees of cohorts that events have left to be worked out: those with a cycle of
/// parents or a sum beyond 64 bits. Other events leave nothing to do.
void refresh(State& state);

/// Decides one scheduling cycle: at most one head a ClusterQueue. Requires: the state is fresh,
/// which it is after refresh().
CycleDecision decide(const State& state, Time now);

/// Makes the state what the decision says: admitted workloads hold their quota, victims count as
/// being evicted, the others are back in their queues. Requires: the decision was made of this
/// state or of a fork, and the state has not changed since. Returns the decisions for others.
CycleResult commit(State& state, CycleDecision decision);

/// Decides one scheduling cycle and commits it.
CycleResult run_cycle(State& state, Time now);

/// When a TimerFired event is due next (wake batches, ends of back-off); none: nothing waits for
/// time.
std::optional<Time> next_due(const State& state);

/// The workloads that may have entered, left or changed their place in a queue since the last call.
/// The first call gives all that wait; only from then on the changes are kept. For indexes of what
/// waits: their cost is that of the changes, and none where no one asks.
std::vector<WorkloadIndex> take_queue_changes(State& state);

}  // namespace sluice::engine
