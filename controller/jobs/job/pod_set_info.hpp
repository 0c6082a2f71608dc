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

/// What a start writes into the template of one pod set.
struct PodSetInfo {
    std::string name;
    std::optional<std::int32_t> count;  ///< that was admitted; none: what was asked for
    api::StringMap annotations;
    api::StringMap labels;
    api::StringMap node_selector;
    std::vector<api::Toleration> tolerations;
};

/// Adds what the other one injects. Errors: Invalid when a key has two values, naming both.
Result<void> merge(PodSetInfo& into, const PodSetInfo& from);

/// All that the admission gives each pod set: labels that name queue and pod set, then node labels
/// and tolerations of its flavors in the order of their names (of a label that several have, the
/// last one counts), then the updates of checks that are Ready. Errors: FlavorNotFound when a
/// flavor does not exist or cannot be used (try again); InvalidSpec when an update contradicts what
/// was there.
JobResult<std::vector<PodSetInfo>> make_pod_set_infos(
    const Stores& stores,
    const api::Workload& workload,
    const api::Admission& admission,
    const Settings& settings
);

/// Returns true if a pod set's selector lacks a node label of the flavors that the admission gives
/// it. A flavor whose spec was changed tells nothing: its labels may be newer than the start.
/// Requires: selectors in the order of the assignments.
bool lacks_node_labels(
    const Stores& stores,
    const api::Admission& admission,
    const std::vector<api::StringMap>& node_selectors
);

/// The merge patch of a pod template that injects the info. Errors: Invalid when a key is there
/// with another value.
Result<json::Value> injection_patch(const api::PodTemplateSpec& live, const PodSetInfo& info);

/// The merge patch that turns a live template back into the one that the Workload stored: labels,
/// annotations, nodeSelector, tolerations and schedulingGates. The `kept` labels stay as they are
/// alive. An empty object when nothing differs, or when one of the two cannot be read.
json::Value restoration_patch(
    const api::PodTemplateSpec& live,
    const api::PodTemplateSpec& original,
    std::span<const std::string_view> kept
);

}  // namespace sluice::controller
