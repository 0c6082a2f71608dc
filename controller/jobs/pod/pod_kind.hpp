#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/generic_job.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// Pods, and groups of them, as jobs. A group is found under the name of its key.
std::shared_ptr<const JobKind> make_pod_kind();

/// The index of pods by their group.
inline constexpr std::string_view kPodGroupIndex = "pod_group";
/// The value of a pod in that index, "namespace/group"; none without a group.
std::vector<std::string> groups_of_pod(const api::Pod& pod, bool by_annotation);

}  // namespace sluice::controller
