// Defaults of pods and of pod templates.
#pragma once

#include "json/value.hpp"

namespace sluice::apiserver {

/// Fills in the defaults of a PodTemplateSpec.
void apply_pod_template_defaults(json::Value& pod_template);
/// Fills in the defaults of a Pod, which has more defaults than a pod template.
void apply_pod_defaults(json::Value& pod);

}  // namespace sluice::apiserver
