// Checks the setting leaderElection.
#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"

namespace sluice::config {

/// Checks leaderElection as a part of `validate`, unless it is turned off. The rules are those of
/// client-go: leaseDuration > renewDeadline > 1.2 times retryPeriod, all greater than 0, and a lock
/// of kind Lease. In addition, leaseDuration is rounded to the whole seconds that the Lease
/// records, because other replicas wait for these.
void check_leader_election(Problems& out, const LeaderElection& election);

}  // namespace sluice::config
