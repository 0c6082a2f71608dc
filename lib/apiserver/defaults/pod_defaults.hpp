#pragma once

#include "json/value.hpp"

namespace sluice::apiserver {

/// The defaults of the pods of a template (a PodTemplateSpec).
void apply_pod_template_defaults(json::Value& pod_template);
/// The defaults of a Pod itself, which are some more.
void apply_pod_defaults(json::Value& pod);

}  // namespace sluice::apiserver
