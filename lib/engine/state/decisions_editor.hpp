// Commits the decisions of cycles.
#pragma once

#include "engine/state/cycle_decision.hpp"
#include "engine/state/editor.hpp"
#include "engine/state/holders_editor.hpp"
#include "engine/state/queues_editor.hpp"

namespace sluice::engine {

/// Makes the state what the decision of a cycle says.
class DecisionsEditor : private Editor {
  public:
    DecisionsEditor(State& state, Time now)
        : Editor(state, now), queues_(state, now), holders_(state, now) {}

    /// Makes the state what the decision says. Requires: the decision was made of this state, which
    /// has not changed since.
    void commit(CycleDecision& decision);

  private:
    QueuesEditor queues_;
    HoldersEditor holders_;
};

}  // namespace sluice::engine
