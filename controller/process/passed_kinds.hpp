#pragma once

#include "controller/kinds/registry.hpp"

#include <vector>

namespace sluice::controller {

/// Returns entries of the built-in kinds that are not in the registry, but may stand between jobs
/// and the kinds of the registry that manage what is below them: a JobSet between an AppWrapper and
/// its Jobs while the integration of JobSets is off. Empty if none of those that are followed has
/// children that are jobs. `manages_pods`: pods are jobs (framework `pod`), so that what makes pods
/// matters, too.
std::vector<KindEntry> find_passed_kinds(const Registry& registry, bool manages_pods);

}  // namespace sluice::controller
