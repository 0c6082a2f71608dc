// Finds the slice of an elastic job that has replaced another one (KEP-77).
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"

#include <memory>

namespace sluice::controller {

/// Returns the admitted Workload that took the place of this slice, so that the slice, which still
/// holds quota, has to end. Returns nullptr if no such Workload exists, or if it is being evicted
/// or deleted itself.
std::shared_ptr<const api::Workload> find_replacement_of_slice(
    const Stores& stores, const Settings& settings, const api::Workload& slice
);

}  // namespace sluice::controller
