// Reads if a flavor holds admissions to what its nodes have.
#pragma once

#include "api/kueue/resource_flavor.hpp"
#include "api/meta/field_error.hpp"
#include "base/error.hpp"

namespace sluice::workload {

/// Returns true if the flavor has the annotation `sluice.dev/capacity: Enforce`, false with
/// `Observe` or without it. Errors: Invalid, for another value.
Result<bool> read_capacity_rule(const api::ResourceFlavor& flavor);

/// Returns what is wrong with the flavor's annotations in the domain sluice.dev. `can_enforce`: the
/// gate TopologyAwareScheduling is on, without which nodes are not watched.
api::FieldErrors validate_annotations(const api::ResourceFlavor& flavor, bool can_enforce);

/// Returns true if an admission needs room for its pods on the flavor's nodes, as they are. Pods of
/// a flavor with a topology are placed on nodes anyway. A value that cannot be read does not count.
bool enforces_capacity(const api::ResourceFlavor& flavor);

}  // namespace sluice::workload
