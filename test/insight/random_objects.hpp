// Random clusters of API objects, for questions that are compared with what then happens.
#pragma once

#include "base/prng.hpp"
#include "controller/commands/schedule/schedule_cluster.hpp"

namespace sluice::test {

/// The time of all such clusters.
inline constexpr Time kObjectsNow{std::chrono::seconds(1'700'000'000)};

/// Makes two or three flavors, some with taints or labels, ClusterQueues in and out of cohorts with
/// random quotas, limits, policies and strategies, LocalQueues in two namespaces, priority classes
/// and workloads that nothing has admitted yet.
commands::ScheduleCluster random_objects(Prng& random);

/// Runs cycles until nothing changes, and returns the objects as they are then.
commands::ScheduleCluster settled(commands::ScheduleCluster cluster);

}  // namespace sluice::test
