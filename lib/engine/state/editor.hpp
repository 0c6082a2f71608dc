// The base of the editors, which change a state.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

#include <optional>

namespace sluice::engine {

/// The state that an editor reads, its members to change, and the time of the change. Each editor
/// keeps one part of a state consistent, and calls the editors below it: `ObjectsEditor`,
/// `WorkloadsEditor` and `DecisionsEditor` are at the top, then `HoldersEditor`, `LedgersEditor`,
/// `WakesEditor`, `QueuesEditor`, `NamesEditor`. An editor has no members of its own, so that two
/// editors of one state may be in use at the same time.
class Editor {
  protected:
    Editor(State& state, Time now) : state_(state), data_(state.data_to_change()), now_(now) {}

    WorkloadRecord& record(WorkloadIndex index) { return data_.workloads.write(index.at()); }
    ClusterQueueRecord& queue(NodeIndex index) { return data_.cluster_queues.write(index.at()); }
    /// Notes that the ClusterQueue or cohort may have lost its last use, so that its name can end.
    /// Ignores an invalid index.
    void check_use_of(NodeIndex node) {
        if (node.is_valid() && !data_.tree.node(node).has_object) {
            data_.nodes_to_check.push_back(node);
        }
    }
    bool is_later(const std::optional<Time>& time) const { return time && *time > now_; }

    const State& state_;
    StateData& data_;
    Time now_;
};

}  // namespace sluice::engine
