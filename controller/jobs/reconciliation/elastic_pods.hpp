#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/view.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The pods of elastic jobs are made with a scheduling gate, which is opened for as many as the
/// admitted slice has (KEP-77). So are those of a job that Kueue started with a topology assignment
/// (KEP-2724): their gate is opened, too, and they run on any node of their flavor.
namespace sluice::controller {

/// The value of a pod in that index, `namespace/name` of the first slice; none without a slice.
std::vector<std::string> slices_of_pod(const api::Pod& pod);

/// The same value for the pods of a Workload.
std::string pods_of_slice(const api::Workload& workload);

/// Returns true if the Workload's job may make pods with such a gate.
bool has_gated_pods(const api::Workload& workload, bool with_elastic_jobs);

/// Opens the gates of the pods of a row, named by its first pod, that their slice has room for:
/// those with the lowest names, beside the pods whose gate is open. A slice has room while it is
/// admitted and not evicted. What the checks of the slice select nodes by is added to the pods; one
/// that contradicts it stays gated. Requires: what was last written to the pods of the row is in
/// the stores.
Outcome ungate_row(const View& view, const JobKinds& kinds, const ObjectKey& first, Time now);

}  // namespace sluice::controller
