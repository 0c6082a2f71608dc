// Splits the hosts of a topology assignment into runs that share a prefix of their names.
#pragma once

#include "api/kueue/topology_assignment.hpp"

#include <span>
#include <vector>

namespace sluice::api {

/// The maximum number of slices in a topologyAssignment: the schema's limit.
inline constexpr std::size_t kSlicesMax = 1'000;

/// Splits domains into runs of `kDomainsPerSliceMax`, and a last one.
std::vector<std::span<const AssignedDomain>> split_by_size(std::span<const AssignedDomain> domains);

/// Splits neighbouring domains where the shared prefix of their hostnames changes: `a-1`, `a-2`,
/// `b-1`, `b-2` make two runs. A prefix ends after a `-` within the name, and at least two domains
/// have it; a domain goes by its longest one. If more than `kSlicesMax` slices would result,
/// shorter prefixes are used; if these make too many as well, all domains are one run. No run has
/// more than `kDomainsPerSliceMax` domains. `level`: the position of the hostname among a domain's
/// values. Source: Kueue's gate TASAssignmentsEncodingByHostnamePrefix. *Cost*: O(n m k²) for n
/// names of length m with k dashes.
std::vector<std::span<const AssignedDomain>> split_by_hostname_prefix(
    std::span<const AssignedDomain> domains, std::size_t level
);

}  // namespace sluice::api
