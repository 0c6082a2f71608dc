// Ungates the pods of elastic jobs, as many as their workload slice has.
#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The pods of elastic jobs are created with a scheduling gate, which is removed from as many pods
/// as the admitted slice has (KEP-77). Pods of a job that Kueue started with a topology assignment
/// (KEP-2724) are ungated too: they run on any node of their flavor.
namespace sluice::controller {

/// Returns the pod's value in the index kSliceIndex: `namespace/name` of the first slice; empty
/// without a slice.
std::vector<std::string> slices_of_pod(const api::Pod& pod);

/// Returns the value in that index of the pods of a Workload.
std::string pods_of_slice(const api::Workload& workload);

/// Returns true if the Workload's job may create pods with such a gate.
bool has_gated_pods(const api::Workload& workload, bool with_elastic_jobs);

/// Ungates the pods of a chain of slices, which is named by its first pod: as many as the slice has
/// room for besides ungated pods, those with the lowest names first. A slice has room while it is
/// admitted and not evicted. The node selectors that the slice's checks chose are added to the
/// pods; a pod that contradicts them stays gated. Requires: the stores show the last writes to
/// these pods.
Outcome ungate_row(const View& view, const JobKinds& kinds, const ObjectKey& first, Time now);

}  // namespace sluice::controller
