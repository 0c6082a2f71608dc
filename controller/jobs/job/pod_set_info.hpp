// The labels, node selectors and tolerations that the start of a job injects into its pods.
#pragma once

#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/meta.hpp"
#include "base/error.hpp"
#include "controller/jobs/job/job_problem.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::controller {

/// The values that a start writes into the template of one pod set.
struct PodSetInfo {
    std::string name;
    std::optional<std::int32_t> count;  ///< the admitted count; the requested count if nullopt
    api::StringMap annotations;
    api::StringMap labels;
    api::StringMap node_selector;
    std::vector<api::Toleration> tolerations;
    bool has_topology_gate = false;  ///< pods wait for a domain: gate kueue.x-k8s.io/topology
};

/// Adds the values of `from` to `into`. Errors: Invalid if a key has two values, naming both.
Result<void> merge(PodSetInfo& into, const PodSetInfo& from);

/// Returns the values that the admission gives each pod set: labels that name queue and pod set,
/// the topology gate if it assigns domains,
/// then node labels and tolerations of its flavors in the order of the flavors' names (if several
/// have a label, the last one counts), then the updates of checks that are Ready. Errors:
/// FlavorNotFound if a flavor does not exist or cannot be used (try again); InvalidSpec if an
/// update contradicts earlier values.
JobResult<std::vector<PodSetInfo>> make_pod_set_infos(
    const Stores& stores,
    const api::Workload& workload,
    const api::Admission& admission,
    const Settings& settings
);

/// Returns true if a pod set's selector lacks a node label of the flavors that the admission gives
/// it. A flavor whose spec was changed is skipped: its labels may be newer than the start.
/// Requires: selectors in the order of the assignments.
bool lacks_node_labels(
    const Stores& stores,
    const api::Admission& admission,
    const std::vector<api::StringMap>& node_selectors
);

/// Returns the scheduling gates of a pod template with the topology gate among them.
json::Array with_topology_gate(const std::vector<api::PodSchedulingGate>& live);

/// Returns the merge patch of a pod template that injects the info. Errors: Invalid if the template
/// has a key with another value.
Result<json::Value> injection_patch(const api::PodTemplateSpec& live, const PodSetInfo& info);

/// Returns the merge patch that restores a live template from the one in the Workload: labels,
/// annotations, nodeSelector, tolerations and schedulingGates. The labels in `kept` are not
/// changed. Returns an empty object if nothing differs, or if one of the templates cannot be read.
json::Value restoration_patch(
    const api::PodTemplateSpec& live,
    const api::PodTemplateSpec& original,
    std::span<const std::string_view> kept
);

}  // namespace sluice::controller
