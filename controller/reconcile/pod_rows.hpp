// The pods of one Workload, or of a chain of slices: their key, and what makes them a row.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "controller/reconcile/stores.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// A row is the pods of one Workload, or of the slices of an elastic job. It is reconciled under a
/// key that no pod can have: its pods share the room and the nodes of one admission.
namespace sluice::controller {

/// Returns the pod's value in the index kSliceIndex: `namespace/name` of the Workload or of the
/// first slice; empty if its annotations name none.
std::vector<std::string> slices_of_pod(const api::Pod& pod);
/// Returns the value in that index of the pods of a Workload.
std::string pods_of_slice(const api::Workload& workload);

/// Returns the key of a row. `slice`: a value of kSliceIndex. Example: Pod team/row/job-train-1234
ObjectKey pod_row_key(std::string_view slice);
/// Returns the name of the Workload or first slice if `name` comes from pod_row_key(); ""
/// otherwise.
std::string_view row_in_name(std::string_view name);

/// Calls `visit` with the key of the Workload's row; not while pods are not watched.
void visit_pod_row(
    const Stores& stores,
    const api::Workload& workload,
    const std::function<void(const ObjectKey&)>& visit
);

/// Returns true if the Workload's job may create pods with a gate that its row opens: it is elastic
/// (`with_elastic_jobs`), or it has a topology assignment.
bool has_gated_pods(const api::Workload& workload, bool with_elastic_jobs);

}  // namespace sluice::controller
