// Topology of kueue.x-k8s.io.
#pragma once

#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <string>
#include <vector>

namespace sluice::api {

struct TopologyLevel {
    std::string node_label;

    static const TypeInfo& type();
    friend bool operator==(const TopologyLevel&, const TopologyLevel&) = default;
};

struct TopologySpec {
    std::vector<TopologyLevel> levels;  ///< from the widest domain to the narrowest

    static const TypeInfo& type();
    friend bool operator==(const TopologySpec&, const TopologySpec&) = default;
};

/// The node labels that form the levels of a data center.
struct Topology {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "Topology";
    static constexpr std::string_view kPlural = "topologies";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    TopologySpec spec;

    static const TypeInfo& type();
    friend bool operator==(const Topology&, const Topology&) = default;
};

}  // namespace sluice::api
