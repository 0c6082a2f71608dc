// The simulated CronJob controller.
#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// Returns the writes of one turn of the CronJob controller: it creates the Job that is due,
/// applies the concurrency policy to running Jobs and the limits to finished Jobs, and writes the
/// status. Schedules are in UTC and follow the clock, whatever the pace. Its Jobs pass through
/// webhooks.
Outcome reconcile_cron_job(const Turn& turn);

}  // namespace sluice::sim
