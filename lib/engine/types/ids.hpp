// Typed indices that the engine uses in place of names.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sluice::engine {

/// A small index that the compiler does not mix up with an index of another kind. A
/// default-constructed index is invalid.
template <class Tag>
struct Index {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t value = kNone;

    constexpr bool is_valid() const { return value != kNone; }
    constexpr std::size_t at() const { return value; }
    friend constexpr auto operator<=>(Index, Index) = default;
};

template <class IndexType>
constexpr IndexType make_index(std::size_t position) {
    return IndexType{static_cast<std::uint32_t>(position)};
}

using FlavorIndex = Index<struct FlavorTag>;
using ResourceIndex = Index<struct ResourceTag>;
using FlavorResourceIndex = Index<struct FlavorResourceTag>;  ///< a (flavor, resource) pair
using NodeIndex = Index<struct NodeTag>;  ///< a ClusterQueue or cohort of the quota tree
using LocalQueueIndex = Index<struct LocalQueueTag>;
using HostIndex = Index<struct HostTag>;  ///< a node of the cluster
using WorkloadIndex = Index<struct WorkloadTag>;
using PodSetsIndex = Index<struct PodSetsTag>;  ///< the podSets of equal workloads

}  // namespace sluice::engine
