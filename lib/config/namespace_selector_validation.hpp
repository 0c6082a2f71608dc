#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"

namespace sluice::config {

/// Checks managedJobsNamespaceSelector, a part of `validate`: it must be well formed and keep out
/// kube-system and Sluice's own namespace, whose jobs nothing else could start.
void check_namespace_selector(Problems& out, const Configuration& configuration);

}  // namespace sluice::config
