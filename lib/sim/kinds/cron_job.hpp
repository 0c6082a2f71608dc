#pragma once

#include "sim/objects/turn.hpp"

namespace sluice::sim {

/// One turn of the CronJob controller: the Job whose time has come, what the concurrency policy
/// asks of those that run, the limits of those that have ended, and the status. Schedules are read
/// in UTC, by the clock whatever the pace. Its Jobs go through webhooks.
Outcome reconcile_cron_job(const Turn& turn);

}  // namespace sluice::sim
