#pragma once

#include "api/workload.hpp"
#include "controller/reconcilers/settings.hpp"
#include "controller/reconcilers/stores.hpp"

#include <memory>

namespace sluice::controller {

/// The Workload that took the place of this slice of an elastic job (KEP-77): both hold quota, and
/// only one may. None: there is none, or it is on its way out itself.
std::shared_ptr<const api::Workload> find_replacement_of_slice(
    const Stores& stores, const Settings& settings, const api::Workload& slice
);

}  // namespace sluice::controller
