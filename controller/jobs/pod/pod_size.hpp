#pragma once

#include "api/pod.hpp"

namespace sluice::controller {

/// Whether the pod requests more of any resource than the other one. What a role of a group stands
/// for is said by an annotation, which users can write: a pod may not hide a larger one behind it.
bool asks_for_more(const api::PodSpec& pod, const api::PodSpec& than);

}  // namespace sluice::controller
