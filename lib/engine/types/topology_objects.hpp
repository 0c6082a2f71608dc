// Nodes, and where pods ask to run and run, for topology-aware scheduling (KEP-2724).
#pragma once

#include "engine/types/amount.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice::engine {

/// Label of the topology level whose domains are single hosts.
inline constexpr std::string_view kHostnameLevel = "kubernetes.io/hostname";

/// Slices of pods that stay within one domain of a level.
struct SliceRequest {
    std::string level;
    std::int32_t size = 0;
    friend auto operator<=>(const SliceRequest&, const SliceRequest&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(&SliceRequest::level, &SliceRequest::size);
    }
};

/// PodSet.topologyRequest: where the pods of a podSet ask to run.
struct TopologyRequest {
    std::optional<std::string> required;   ///< level
    std::optional<std::string> preferred;  ///< level
    bool unconstrained = false;
    /// Layers of slices, from the outermost to the innermost
    /// (podSetSliceRequiredTopology or podsetSliceRequiredTopologyConstraints). A size of 0 is
    /// missing.
    std::vector<SliceRequest> slices;
    friend auto operator<=>(const TopologyRequest&, const TopologyRequest&) = default;

    /// All members, for save() and load().
    static constexpr auto members() {
        return std::tuple(
            &TopologyRequest::required,
            &TopologyRequest::preferred,
            &TopologyRequest::unconstrained,
            &TopologyRequest::slices
        );
    }
};

/// A node among the nodes of a flavor. `path`: the values of its labels for the levels of the
/// flavor's topology.
struct NodePlace {
    std::string flavor;
    std::vector<std::string> path;
    friend bool operator==(const NodePlace&, const NodePlace&) = default;
};

/// The amount of a resource on a node.
struct NodeResource {
    std::string resource;
    Amount amount;
    friend bool operator==(const NodeResource&, const NodeResource&) = default;
};

/// The verdict of a flavor's node on pods of a shape.
struct NodeVerdict {
    std::string node;
    std::string flavor;
    std::uint32_t shape = 0;
    /// Why they cannot run there, in the words of messages; empty if they can.
    std::string refusal;
    std::int64_t affinity = 0;  ///< sum of the weights of preferred node affinities that match
    friend bool operator==(const NodeVerdict&, const NodeVerdict&) = default;
};

/// A node as topology-aware scheduling sees it.
struct Node {
    std::string name;
    /// The flavors that may use it now: it is Ready and schedulable, and has their labels.
    std::vector<NodePlace> places;
    /// Allocatable resources, less those of pods without a topology. An amount may be negative.
    std::vector<NodeResource> capacity;
    /// The capacity that flavors see which enforce it: their holders count pods of their own, and
    /// pods that are about to end do not count. Empty if it is the same.
    std::vector<NodeResource> quota_capacity;
    /// Verdicts on all shapes, but for those that may run on it without a preference.
    std::vector<NodeVerdict> verdicts;
    friend bool operator==(const Node&, const Node&) = default;
};

/// Pods in one domain of a topology, from status.admission. `id`: the values of the levels that the
/// assignment names, joined by commas.
struct DomainPods {
    std::string id;
    std::int32_t count = 0;
    friend bool operator==(const DomainPods&, const DomainPods&) = default;

    /// All members, for save() and load().
    static constexpr auto members() { return std::tuple(&DomainPods::id, &DomainPods::count); }
};

/// Pods of a podSet that have nodes, by the values of their label kubernetes.io/hostname.
struct RunningPods {
    std::string pod_set;
    std::vector<DomainPods> hosts;
    friend bool operator==(const RunningPods&, const RunningPods&) = default;
};

/// Pods in one leaf of a flavor's topology, counted from 0; see FlavorTopology.
struct LeafPods {
    std::uint32_t leaf = 0;
    std::int64_t count = 0;
    friend bool operator==(const LeafPods&, const LeafPods&) = default;
};

/// podSetAssignments[].delayedTopologyRequest.
enum class DelayedTopology : std::uint8_t { None, Pending, Ready };

/// Why a workload that holds quota is a head of cycles again: its topology is assigned (KEP-2724).
enum class SecondPass : std::uint8_t {
    None,
    Delayed,      ///< all checks are Ready, and its topology waited for them
    Replacement,  ///< a node of its topology failed
};

}  // namespace sluice::engine
