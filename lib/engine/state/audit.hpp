#pragma once

#include "engine/state/state.hpp"
#include "engine/types/ids.hpp"

#include <string>
#include <vector>

namespace sluice::engine {

/// One thing that is inconsistent.
struct AuditFinding {
    NodeIndex root;    ///< of the tree it is in: a root cohort, or a ClusterQueue without cohort
    std::string what;  ///< a line that names the object
};

/// What is inconsistent in the state; empty when all is well. Only a bug in the engine can make it
/// otherwise. Cost: proportional to the state; for tests, and in production once in a while.
std::vector<AuditFinding> audit(const State& state);

}  // namespace sluice::engine
