#pragma once

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

/// One scheduling cycle: at most one head a ClusterQueue. Its decisions stay applied:
/// admitted workloads hold their quota, victims count as being evicted, the others are back in
/// their queues.
CycleResult run_cycle(State& state, Time now);

/// When a TimerFired event is due next (wake batches, ends of back-off); none: nothing waits for
/// time.
std::optional<Time> next_due(const State& state);

/// The workloads that may have entered, left or changed their place in a queue since the last call.
/// The first call gives all that wait; only from then on the changes are kept. For indexes of what
/// waits: their cost is that of the changes, and none where no one asks.
std::vector<WorkloadIndex> take_queue_changes(State& state);

}  // namespace sluice::engine
