#pragma once

#include "engine/random_clusters.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// Changes of a random case after which the engine must decide alike. Each function plays the case
/// as it is and changed, and returns the first cycle that differs; none: all are alike. `seed`
/// chooses among the possible changes.
///
/// History is left out where it rightly shows. What a state remembers beside the objects
/// as they are now:
/// - which workloads are parked, and the classes that are: none before the first cycle, unless a
///   workload waits for a time. Such a one goes to the heap if its queue comes later and is parked
///   if its queue is there already, so that waits are taken out of what is told before the first
///   cycle;
/// - how far the search for flavors came, the sticky preemptor, refused writes: none before the
///   first cycle;
/// - when a batch of wakes ends: counted from its first event, all of which come at one time here;
/// - a wake-up that is still to come, because a holder left whose LocalQueue was not there: before
///   the first cycle all of these are let come;
/// - usage by LocalQueues: begun from the status that the LocalQueue is first told with, which a
///   detour therefore keeps.
/// From the first cycle on, all of these are part of what is compared.
namespace sluice::reference {

/// What is told before the first cycle comes in another order.
std::optional<std::string> differs_when_permuted(const Case& played, std::uint64_t seed);

/// All names but those of resources, whose hashes order the search, and of podSets
/// become others that sort alike.
std::optional<std::string> differs_when_renamed(const Case& played, std::uint64_t seed);

/// ClusterQueues and cohorts without workloads come, in trees of their own.
std::optional<std::string> differs_with_empty_trees(const Case& played, std::uint64_t seed);

/// All amounts are twice as large. None is compared where the doubled amounts would not be all:
/// where `pods` is covered (a pod stays a pod), where amounts are cut off at the largest, and under
/// admission fair sharing, whose decimals are cut off at the ninth place.
std::optional<std::string> differs_when_doubled(const Case& played, std::uint64_t seed);

/// Objects are first told otherwise, or deleted and told again, before they are as in the case.
std::optional<std::string> differs_after_detours(const Case& played, std::uint64_t seed);

/// All of these.
std::optional<std::string> find_metamorphic_fault(const Case& played);

}  // namespace sluice::reference
