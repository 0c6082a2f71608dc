// Decides when a scheduling cycle runs: events in, decisions and the time of the next step out.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/event.hpp"
#include "engine/types/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace sluice::engine {

/// The present time on two clocks.
struct Moment {
    Time wall;          ///< compared with the times that objects have
    Duration steady{};  ///< for delays: of a clock that nobody sets; its zero has no meaning
};

/// Returns the moment of a world that has one clock, such as a simulation.
constexpr Moment moment_at(Time now) {
    return {.wall = now, .steady = now.time_since_epoch()};
}

/// Delays between cycles that change nothing. Kueue runs a cycle every 10 ms while a queue has a
/// head (a blocked StrictFIFO queue keeps its head). Without changes only the progress of flavor
/// scans can change the outcome, and the scans have ended after `cycles_until_idle` cycles.
struct DriverOptions {
    Duration retry_min = std::chrono::milliseconds(1);  ///< the first delay; it doubles each time
    Duration retry_max = std::chrono::milliseconds(10);
    std::uint32_t cycles_until_idle = 50;
    Duration idle = std::chrono::seconds(1);  ///< the delay after so many cycles without a change
    Recording recording = Recording::Messages;
};

/// Options for a world in which no time passes between cycles, and which explains refusals.
inline constexpr DriverOptions kNoDelays{
    .retry_min = Duration::zero(),
    .retry_max = Duration::zero(),
    .idle = Duration::zero(),
    .recording = Recording::Explanations
};

/// The result of Driver::step().
struct Step {
    CycleResult result;            ///< its `cycle` is 0 if no cycle ran
    std::optional<Duration> next;  ///< steady time of the next step; empty until an event
};

/// Sees all that reaches a state, in its order: whoever does the same to a copy of the state gets
/// the same decisions.
class DriverObserver {
  public:
    virtual ~DriverObserver() = default;
    /// Before the event is applied.
    virtual void on_event(const Event& event, Time now) = 0;
    virtual void on_clock_step(Duration by, Time now) = 0;
    /// After a cycle ran, also one that found no head (its `cycle` is 0).
    virtual void on_cycle(const State& state, const CycleResult& result, Time now) = 0;
};

/// Runs a state: at once after a cycle that admitted or preempted, soon after a cycle that did not,
/// and after longer and longer delays while nothing changes. All events of the state go through
/// its driver. *Lifetime*: the state outlives the driver.
class Driver {
  public:
    explicit Driver(State& state, const DriverOptions& options = {})
        : state_(state), options_(options) {}

    const State& state() const { return state_; }
    /// Sets who sees all that reaches the state from now on; nullptr for nobody. *Lifetime*: the
    /// observer outlives the driver.
    void set_observer(DriverObserver* observer) { observer_ = observer; }

    /// Applies an event to the state. The next step tries the heads again.
    void deliver(const Event& event, Time now);
    /// Moves the engine's own delays after the wall clock was set; see step_clock() of engine.hpp.
    void step_clock(Duration by, Time now);
    /// Ends the engine's delays that are due: wake batches, back-offs, intervals of usage samples.
    void end_delays(Time now);
    /// Brings the tree of cohorts up to date if an event left that to do.
    void refresh(Time now);

    /// Ends the delays that are due, and runs at most one cycle. `has_room`: the caller can take
    /// decisions; otherwise no cycle runs, and the next step is due after `retry_max`.
    Step step(const Moment& now, bool has_room = true);

  private:
    std::optional<Duration> next_delay_end(const Moment& now) const;
    std::optional<Duration> earlier_of_retry_and_delay_end(const Moment& now) const;
    Duration delay_after_fruitless() const;

    State& state_;
    DriverOptions options_;
    DriverObserver* observer_ = nullptr;
    std::uint64_t events_ = 0;       // delivered so far
    std::uint64_t events_seen_ = 0;  // delivered before the last cycle
    std::uint32_t fruitless_ = 0;    // cycles in a row without an admission or preemption
    Duration retry_at_ = Duration::min();
};

}  // namespace sluice::engine
