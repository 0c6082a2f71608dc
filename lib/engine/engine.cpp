#include "engine/engine.hpp"

#include "engine/cycle/cycle.hpp"
#include "engine/state/state_editor.hpp"

#include <utility>
#include <variant>

namespace sluice::engine {

void apply(State& state, const Event& event, Time now) {
    StateEditor editor(state, now);
    editor.begin_change();
    std::visit([&editor](const auto& e) { editor.on(e); }, event);
}

void step_clock(State& state, Duration by, Time now) {
    StateEditor(state, now).step_clock(by);
}

void refresh(State& state) {
    StateEditor(state, Time()).refresh();
}

CycleDecision decide(const State& state, Time now, Recording recording) {
    return Cycle(state, now, recording).run();
}

CycleResult commit(State& state, CycleDecision decision) {
    StateEditor(state, decision.now).commit(decision);
    return std::move(decision.result);
}

CycleResult run_cycle(State& state, Time now, Recording recording) {
    refresh(state);
    return commit(state, decide(state, now, recording));
}

std::optional<Time> next_due(const State& state) {
    return state.next_due();
}

std::vector<WorkloadIndex> take_queue_changes(State& state) {
    return StateEditor(state, Time()).take_queue_changes();
}

}  // namespace sluice::engine
