#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::whole_system {

struct CourseOptions {
    std::uint64_t seed = 1;
    int actions = 100;  ///< of users, administrators and misfortune
    bool prints_actions = false;
    bool prints_requests = false;   ///< of the controllers, beside the actions
    bool records_journals = false;  ///< of the replicas, each of which is then replayed
    std::string printed_object{};   ///< of a hostile course: each version of objects so named
};

/// What a course came to.
struct CourseResult {
    std::vector<std::string> problems;  ///< what may never be; empty: nothing
    std::uint64_t digest = 0;           ///< of everything that was stored: the same for a seed
    std::uint64_t jobs = 0;
    std::uint64_t admissions = 0;
    std::uint64_t evictions = 0;
    std::uint64_t faults = 0;
    std::uint64_t topologies = 0;  ///< assignments of topologies
    std::uint64_t ungated = 0;     ///< pods that were ungated in a domain
    std::uint64_t kills = 0;
    std::uint64_t replayed_cycles = 0;  ///< of all journals
    std::uint64_t leaders = 0;          ///< changes of who holds the lease
    Duration longest_excess{};          ///< of a hostile course: for so long pods ran beyond quota
};

/// The whole system on virtual time: API server, cluster and two replicas of the controller that
/// compete for the lease. Users create, edit and delete jobs, administrators change quotas, nodes
/// go, replicas are killed or cut off, and faults come between. Then faults end, everything runs
/// to its end, and all is deleted. Problems are broken invariants, which are checked at each write,
/// at moments of rest, and at the end.
CourseResult play_course(const CourseOptions& options);

/// One controller, whose cluster belongs to a hostile tenant: every job and pod of it is managed.
/// At each write the pods on the nodes request no more than Workloads hold, but for a grace;
/// the same counts at moments of rest without grace, and there against what the ClusterQueues
/// count. In the end the namespace is deleted and goes, and so do queues, flavors and cohorts.
CourseResult play_hostile_course(const CourseOptions& options);

}  // namespace sluice::whole_system
