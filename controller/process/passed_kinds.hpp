// Finds disabled kinds that must be read to find the owners of jobs.
#pragma once

#include "controller/kinds/registry.hpp"

#include <vector>

namespace sluice::controller {

/// Returns entries of the built-in kinds that are not in the registry, but may be between jobs and
/// the registered kinds that manage them, for example a JobSet between an AppWrapper and its Jobs
/// while the integration of JobSets is off. Empty if no watched kind can own jobs. `manages_pods`:
/// pods are jobs (framework `pod`), so kinds that create only pods are included.
std::vector<KindEntry> find_passed_kinds(const Registry& registry, bool manages_pods);

}  // namespace sluice::controller
