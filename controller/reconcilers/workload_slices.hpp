// Which slice of an elastic job has taken the place of another (KEP-77).
#pragma once

#include "api/kueue/workload.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"

#include <memory>

namespace sluice::controller {

/// Returns the admitted Workload that took the place of this slice, which holds quota too, so that
/// the slice has to end. Returns nullptr if there is none or if it is on its way out itself.
std::shared_ptr<const api::Workload> find_replacement_of_slice(
    const Stores& stores, const Settings& settings, const api::Workload& slice
);

}  // namespace sluice::controller
