#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::webhook {

/// So many domains at most are read from one object. Those of the API hold fewer; only a crafted
/// one, whose slices state a huge domainCount with universal values, could exceed it.
inline constexpr std::size_t kDomainsMax = 1'000'000;
/// So many domains at most go into one slice (the schema's limit of roots).
inline constexpr std::size_t kDomainsPerSliceMax = 100'000;

/// One topology domain with its path, a value for each level, and the pods assigned to it.
struct TopologyDomain {
    std::vector<std::string> values;
    std::int64_t count = 0;

    bool operator==(const TopologyDomain&) const = default;
};

/// A topologyAssignment, whichever version it was read from.
struct TopologyAssignment {
    std::vector<std::string> levels;
    std::vector<TopologyDomain> domains;

    bool operator==(const TopologyAssignment&) const = default;
};

/// Reads `{levels, domains}`. Errors: Invalid, naming the field below `path`.
Result<TopologyAssignment> parse_domains(
    const json::Value& value, std::string_view path, std::size_t domains_max = kDomainsMax
);
/// Reads `{levels, slices}` in any valid encoding. Errors: Invalid, naming the field below `path`.
Result<TopologyAssignment> parse_slices(
    const json::Value& value, std::string_view path, std::size_t domains_max = kDomainsMax
);

/// Writes `{levels, domains}`.
json::Value make_domains(const TopologyAssignment& assignment);
/// Writes `{levels, slices}` with one slice, or as few as the schema's limit allows; no domains
/// make no slices. Values that all domains share become `universal`, others lose their common
/// prefix and suffix: `node-1-eu`, `node-2-eu` become prefix `node-`, suffix `-eu`, roots `1`, `2`.
/// Requires: each domain has a value for each level.
json::Value make_slices(const TopologyAssignment& assignment);

}  // namespace sluice::webhook
