// The interface of webhooks for objects that are not jobs, but create pods that are jobs.
#pragma once

#include "api/core/admission_review.hpp"
#include "base/error.hpp"
#include "webhook/admission_review.hpp"

namespace sluice::controller {

struct AdmissionContext;

/// Webhooks of a kind whose objects are not jobs, but create pods that are jobs.
class ObjectAdmission {
  public:
    ObjectAdmission() = default;
    ObjectAdmission(const ObjectAdmission&) = delete;
    ObjectAdmission& operator=(const ObjectAdmission&) = delete;
    virtual ~ObjectAdmission() = default;

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
