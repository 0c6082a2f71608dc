#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::test {

inline constexpr std::array<std::string_view, 5> kConvertedKinds = {
    "ClusterQueue", "Cohort", "LocalQueue", "MultiKueueCluster", "Workload"
};

/// Sends a random object of the kind to the other version and back, and again. It must come back
/// but for the losses that conversion.hpp lists, keep its metadata, and lose nothing more the
/// second time. Says what was broken, or nothing. `old`: the object is of v1beta1.
std::optional<std::string> find_round_trip_fault(
    std::string_view kind, bool old, std::uint64_t seed
);

}  // namespace sluice::test
