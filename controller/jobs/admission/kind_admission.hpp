// The interface of the webhooks of a kind: defaults and validation.
#pragma once

#include "api/core/admission_review.hpp"
#include "base/error.hpp"
#include "config/feature_gates.hpp"
#include "controller/jobs/job/job_kinds.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "webhook/admission_review.hpp"

namespace sluice::controller {

/// The state that webhooks read in addition to the request.
struct AdmissionContext {
    const JobKinds& kinds;
    const Stores& stores;
    const Settings& settings;
    const config::FeatureGates& gates;
};

/// The webhooks of one kind of objects: of jobs, or of objects whose pods are jobs.
class KindAdmission {
  public:
    KindAdmission() = default;
    KindAdmission(const KindAdmission&) = delete;
    KindAdmission& operator=(const KindAdmission&) = delete;
    virtual ~KindAdmission() = default;

    /// Sets the defaults of a new or changed object. Errors: Invalid if the object cannot be read;
    /// Unavailable if its namespace or an object above it is not known yet.
    virtual Result<webhook::Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const = 0;
    /// Accepts or refuses a new or changed object. Errors: as apply_defaults().
    virtual Result<webhook::Verdict> judge(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const = 0;
};

}  // namespace sluice::controller
