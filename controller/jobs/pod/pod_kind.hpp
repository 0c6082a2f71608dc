// Pods and pod groups as a kind of jobs.
#pragma once

#include "api/core/pod.hpp"
#include "controller/jobs/job/generic_job.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// Returns the kind of pods and pod groups. A group is found under the name in its key.
std::shared_ptr<const JobKind> make_pod_kind();

/// The index of pods by their group.
inline constexpr std::string_view kPodGroupIndex = "pod_group";
/// Returns the pod's value in that index, "namespace/group"; empty without a group.
std::vector<std::string> groups_of_pod(const api::Pod& pod, bool by_annotation);

}  // namespace sluice::controller
