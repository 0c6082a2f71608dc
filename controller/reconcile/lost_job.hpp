// Workloads that have lost their job: how they are found and finished.
#pragma once

#include "controller/reconcile/view.hpp"

#include <set>
#include <string>

namespace sluice::controller {

/// Returns the uid of the job for which the Workload was made if the Workload has lost all owners;
/// nullptr otherwise.
const std::string* lost_job_of(const api::ObjectMeta& workload);

/// Returns true if the Workload holds quota for a job with another uid, by the label job-uid that
/// is set when the Workload is created or taken over. Owner references alone do not move quota:
/// pods of the other job may still run.
bool holds_quota_of_another(const api::Workload& workload, std::string_view job_uid);

/// Finishes a Workload that lost its job. If the job still exists, it takes the Workload over: in
/// that case the Workload is only reconciled again after some seconds.
/// `job_kinds`: the kinds whose jobs are reconciled; nullptr means no kinds.
Outcome end_without_job(
    const Stores& stores, const std::set<Kind>* job_kinds, const api::Workload& workload, Time now
);

}  // namespace sluice::controller
