// Reads how many nodes a flavor may have, beyond those that it has now.
#pragma once

#include "api/core/core.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/meta/quantity.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>

namespace sluice::workload {

/// The nodes that an autoscaler may give a flavor (annotation `sluice.dev/may-grow-to`).
struct FlavorGrowth {
    std::int64_t nodes = 0;  ///< with those that exist
    /// Allocatable resources of one of them (annotation `sluice.dev/node-shape`). Empty: those of
    /// the flavor's largest node.
    api::ResourceList shape;
};

/// Reads the annotations of the flavor; nullopt without `sluice.dev/may-grow-to`. Errors: Invalid,
/// with the annotation.
Result<std::optional<FlavorGrowth>> read_growth(const api::ResourceFlavor& flavor);

/// Reads amounts such as `cpu=96,memory=1Ti,nvidia.com/gpu=8`. Errors: Invalid, with the part that
/// is wrong.
Result<api::ResourceList> parse_amounts(std::string_view text);

/// Replaces the allocatable resources of the largest node so far, if this node has more.
void keep_larger(const api::ResourceList& node, api::ResourceList& largest);

/// Returns a node that an autoscaler may add to the flavor. `number`: part of its name.
api::Node make_new_node(
    const api::ResourceFlavor& flavor, const api::ResourceList& shape, std::int64_t number
);

}  // namespace sluice::workload
