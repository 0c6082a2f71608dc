#include "engine/engine.hpp"

#include "engine/cycle/cycle.hpp"
#include "engine/placement/expected_nodes.hpp"
#include "engine/state/decisions_editor.hpp"
#include "engine/state/holders_editor.hpp"
#include "engine/state/ledgers_editor.hpp"
#include "engine/state/names_editor.hpp"
#include "engine/state/objects_editor.hpp"
#include "engine/state/queues_editor.hpp"
#include "engine/state/topologies_editor.hpp"
#include "engine/state/wakes_editor.hpp"
#include "engine/state/workloads_editor.hpp"

#include <utility>
#include <variant>

namespace sluice::engine {
namespace {

/// Makes decisions of the state as it was until now uncommittable.
void begin_change(State& state) {
    ++state.data_to_change().version;
}

}  // namespace

void apply(State& state, const Event& event, Time now) {
    begin_change(state);
    const auto apply_one = [&state, now](const auto& e) {
        if constexpr (requires(WorkloadsEditor workloads) { workloads.on(e); }) {
            WorkloadsEditor(state, now).on(e);
        } else {
            ObjectsEditor(state, now).on(e);
        }
    };
    std::visit(apply_one, event);
    WakesEditor(state, now).wake_for_room();
    NamesEditor(state, now).end_unused_nodes();
}

void step_clock(State& state, Duration by, Time now) {
    begin_change(state);
    WakesEditor(state, now).step_clock(by);
    LedgersEditor(state, now).step_clock(by);
    HoldersEditor(state, now).step_clock(by);
}

void refresh(State& state) {
    WakesEditor(state, Time()).refresh();
    TopologiesEditor(state, Time()).refresh();
    find_expected_nodes(state);
    NamesEditor(state, Time()).end_unused_nodes();
}

CycleDecision decide(const State& state, Time now, Recording recording) {
    return Cycle(state, now, recording).run();
}

CycleResult decide_alone(const State& state, WorkloadIndex workload, Time now) {
    return Cycle(state, now, Recording::Explanations).run_alone(workload).result;
}

CycleResult commit(State& state, CycleDecision decision) {
    DecisionsEditor(state, decision.now).commit(decision);
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
    return QueuesEditor(state, Time()).take_changes();
}

}  // namespace sluice::engine
