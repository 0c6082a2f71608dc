#include "engine/engine.hpp"

#include "engine/cycle/cycle.hpp"
#include "engine/state/state_editor.hpp"

#include <algorithm>
#include <variant>

namespace sluice::engine {

void apply(State& state, const Event& event, Time now) {
    StateEditor editor(state, now);
    std::visit([&editor](const auto& e) { editor.on(e); }, event);
}

void step_clock(State& state, Duration by, Time now) {
    StateEditor(state, now).step_clock(by);
}

CycleResult run_cycle(State& state, Time now) {
    return Cycle(state, now).run();
}

std::optional<Time> next_due(const State& state) {
    return state.next_due();
}

std::vector<WorkloadIndex> take_queue_changes(State& state) {
    return StateEditor(state, Time()).take_queue_changes();
}

}  // namespace sluice::engine
