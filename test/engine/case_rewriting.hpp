#pragma once

#include "base/prng.hpp"
#include "engine/random_clusters.hpp"

#include <functional>
#include <string>
#include <vector>

/// Tools to change a whole case.
namespace sluice::reference {

/// Every name in the case that is not empty: of flavors, cohorts, ClusterQueues, LocalQueues,
/// namespaces and workloads, and uids.
void visit_names(Case& of, const std::function<void(std::string&)>& visit);

/// Every amount of a quota, a limit, a request or an assignment.
void visit_amounts(Case& of, const std::function<void(engine::Amount&)>& visit);

void visit_covered_resources(Case& of, const std::function<void(const std::string&)>& visit);

/// Events that say something else of the event's object, so that telling them before the event
/// changes nothing in the end; the material is from `of`. Each may come anywhere before the event.
std::vector<engine::Event> detour_to(const engine::Event& event, const Case& of, Prng& prng);

}  // namespace sluice::reference
