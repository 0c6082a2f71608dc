#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/view.hpp"

#include <string_view>

namespace sluice::controller {

/// Keeps the LocalQueue's status: Active, counters, usage by flavor.
Outcome reconcile_local_queue(
    const View& view, std::string_view ns, std::string_view name, Time now
);

}  // namespace sluice::controller
