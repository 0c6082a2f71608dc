// Reads and writes both encodings of a Workload's topology assignment.
#pragma once

#include "api/kueue/workload.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::api {

/// The label of a node whose value names it in topologies.
inline constexpr char kHostnameLabel[] = "kubernetes.io/hostname";
/// The maximum number of domains that are read from one object. Objects of the API have fewer; only
/// a malicious object could exceed it, with slices that combine a huge domainCount and universal
/// values.
inline constexpr std::size_t kDomainsMax = 1'000'000;
/// The maximum number of domains in one slice: the schema's limit of roots.
inline constexpr std::size_t kDomainsPerSliceMax = 100'000;

/// One topology domain: its path with one value for each level, and the number of pods assigned to
/// it.
struct AssignedDomain {
    std::vector<std::string> values;
    std::int64_t count = 0;

    bool operator==(const AssignedDomain&) const = default;
};

/// A topologyAssignment, independent of the API version that it was read from.
struct DomainAssignment {
    std::vector<std::string> levels;
    std::vector<AssignedDomain> domains;

    bool operator==(const DomainAssignment&) const = default;
};

/// Reads `{levels, domains}`. Errors: Invalid with the field below `path`.
Result<DomainAssignment> parse_domains(
    const json::Value& value, std::string_view path, std::size_t domains_max = kDomainsMax
);
/// Reads `{levels, slices}` in any valid encoding. Errors: Invalid with the field below `path`.
Result<DomainAssignment> parse_slices(
    const json::Value& value, std::string_view path, std::size_t domains_max = kDomainsMax
);

/// Returns the domains of an assignment, as far as it is well formed: a slice whose lists have
/// other lengths than it says, or not one value for each level, ends them. Each domain has a value
/// for each level, and at least one.
DomainAssignment decode(
    const TopologyAssignment& assignment, std::size_t domains_max = kDomainsMax
);
/// The slices that domains are written in.
enum class AssignmentEncoding : std::uint8_t {
    OneSlice,
    /// One slice for each run of hosts that share a prefix of their names, unless one slice for all
    /// is shorter (gate TASAssignmentsEncodingByHostnamePrefix). Levels that do not end with the
    /// hostname make one slice.
    HostnamePrefixes
};

/// Returns the assignment as make_slices() encodes it.
TopologyAssignment encode(
    const DomainAssignment& assignment, AssignmentEncoding encoding = AssignmentEncoding::OneSlice
);

/// Returns `{levels, domains}`.
json::Value make_domains(const DomainAssignment& assignment);
/// Returns `{levels, slices}` with the slices of the encoding, or more if the schema's limit of
/// domains in a slice demands it; without domains, `slices` is empty. A value that all domains
/// share becomes `universal`; other values lose their common prefix and suffix: `node-1-eu` and
/// `node-2-eu` become prefix `node-`, suffix
/// `-eu`, and roots `1` and `2`. Requires: each domain has a value for each level.
json::Value make_slices(
    const DomainAssignment& assignment, AssignmentEncoding encoding = AssignmentEncoding::OneSlice
);

}  // namespace sluice::api
