// Checks the setting managedJobsNamespaceSelector.
#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"

namespace sluice::config {

/// Checks managedJobsNamespaceSelector as a part of `validate`. It must be well-formed and exclude
/// kube-system and Sluice's own namespace, because nothing else could start their jobs.
void check_namespace_selector(Problems& out, const Configuration& configuration);

}  // namespace sluice::config
