// Validation of Jobs, CronJobs, Deployments, ReplicaSets and StatefulSets.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Checks objects of kinds that create pods, and updates of such objects.
void check_job(Causes& causes, const json::Value& job);
void check_job_update(Causes& causes, const json::Value& job, const json::Value& old_job);
void check_cron_job(Causes& causes, const json::Value& cron_job);
void check_deployment(Causes& causes, const json::Value& deployment);
void check_replica_set(Causes& causes, const json::Value& replica_set);
void check_stateful_set(Causes& causes, const json::Value& stateful_set);
void check_stateful_set_update(
    Causes& causes, const json::Value& stateful_set, const json::Value& old_stateful_set
);
/// Requires that an update does not change the selector.
void check_selector_update(
    Causes& causes, const json::Value& object, const json::Value& old_object
);

}  // namespace sluice::apiserver
