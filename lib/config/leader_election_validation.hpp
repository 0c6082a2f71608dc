#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"

namespace sluice::config {

/// Checks leaderElection, a part of `validate`, unless it is switched off. The rules are those
/// without which client-go makes no elector: leaseDuration > renewDeadline > 1.2 times retryPeriod,
/// all greater than 0, and a lock of kind Lease. Beyond them leaseDuration counts as the whole
/// seconds that the Lease says, because that is what other replicas wait for.
void check_leader_election(Problems& out, const LeaderElection& election);

}  // namespace sluice::config
