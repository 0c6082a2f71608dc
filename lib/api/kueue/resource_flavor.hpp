// ResourceFlavor of kueue.x-k8s.io.
#pragma once

#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/meta.hpp"

#include <string>
#include <vector>

namespace sluice::api {

struct ResourceFlavorSpec {
    StringMap node_labels;
    std::vector<Taint> node_taints;
    std::vector<Toleration> tolerations;
    std::string topology_name;

    static const TypeInfo& type();
    friend bool operator==(const ResourceFlavorSpec&, const ResourceFlavorSpec&) = default;
};

/// A kind of node that quota is defined for: its labels, its taints and tolerations for its pods.
struct ResourceFlavor {
    static constexpr std::string_view kGroup = kKueueGroup;
    static constexpr std::string_view kVersion = "v1beta2";
    static constexpr std::string_view kKind = "ResourceFlavor";
    static constexpr std::string_view kPlural = "resourceflavors";
    static constexpr bool kNamespaced = false;

    ObjectMeta metadata;
    ResourceFlavorSpec spec;

    static const TypeInfo& type();
    friend bool operator==(const ResourceFlavor&, const ResourceFlavor&) = default;
};

}  // namespace sluice::api
