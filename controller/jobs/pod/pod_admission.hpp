#pragma once

#include "controller/jobs/admission/job_admission.hpp"

namespace sluice::controller {

/// Defaults and rules of pods. Managed pods are held back by scheduling gates, and those that no
/// other framework holds back (pod-suspending-parent) by a finalizer too.
const JobAdmission& pod_admission();

}  // namespace sluice::controller
