// Finds inconsistencies in a state.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <string>
#include <vector>

namespace sluice::engine {

/// One inconsistency.
struct AuditFinding {
    NodeIndex root;    ///< of its tree: a root cohort, or a ClusterQueue without a cohort
    std::string what;  ///< one line that names the object
};

/// Returns all inconsistencies in the state; only a bug in the engine causes any. *Cost*:
/// proportional to the state. Tests call it, and production may call it once in a while.
std::vector<AuditFinding> audit(const State& state);

}  // namespace sluice::engine
