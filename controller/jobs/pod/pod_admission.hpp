// The webhooks of pods.
#pragma once

#include "controller/jobs/admission/kind_admission.hpp"

namespace sluice::controller {

/// Returns the defaults and rules of pods. A managed pod gets scheduling gates. It also gets a
/// finalizer, unless another integration gates it (annotation pod-suspending-parent).
const KindAdmission& pod_admission();

}  // namespace sluice::controller
