// The racks, or other domains, of the flavors with a topology, as the live view shows them.
#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::commands {

/// A resource of the nodes in one domain of a flavor's topology.
struct DomainState {
    std::string flavor;
    std::string domain;  ///< the values from the coarsest level on, joined by "/"
    std::string resource;
    std::size_t nodes = 0;
    std::size_t lost = 0;       ///< of `nodes`: not Ready, cordoned, or with a taint
    api::Quantity allocatable;  ///< of the others
    api::Quantity used;         ///< requests of all pods on the others that have not ended
};

/// Reads the domains of the level above the hosts, or of the only level, by flavor and path. Names
/// the resources that queues have quota for in the flavor: extended ones, or else all.
std::vector<DomainState> read_domain_states(const apiserver::Store& store);

}  // namespace sluice::commands
