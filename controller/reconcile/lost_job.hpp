#pragma once

#include "controller/reconcile/view.hpp"

#include <set>
#include <string>

namespace sluice::controller {

/// The index of Workloads that lost their job, by lost_job_of().
inline constexpr char kLostJobIndex[] = "lost_job";

/// Returns the uid of the job for which the Workload was made if the Workload has lost all owners;
/// nullptr otherwise.
const std::string* lost_job_of(const api::ObjectMeta& workload);

/// Whether the Workload holds quota of another job than the one with the uid, by the label that it
/// got when it was made or taken. Owner references alone do not move quota: its pods may run.
bool holds_quota_of_another(const api::Workload& workload, std::string_view job_uid);

/// Returns the Workloads that lost the job.
const kube::Store<api::Workload>::Objects& lost_workloads(
    const Stores& stores, const api::ObjectMeta& job
);

/// Finishes a Workload that lost its job. If the job is still there, it takes the Workload over:
/// until then the Workload is only looked at again.
/// `job_kinds`: the kinds whose jobs are reconciled; nullptr if there are none.
Outcome end_without_job(
    const Stores& stores, const std::set<Kind>* job_kinds, const api::Workload& workload, Time now
);

}  // namespace sluice::controller
