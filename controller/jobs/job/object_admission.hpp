#pragma once

#include "api/core/admission_review.hpp"
#include "base/error.hpp"
#include "webhook/admission_review.hpp"

namespace sluice::controller {

struct AdmissionContext;

/// What webhooks do for objects of a kind that are no jobs, but make pods that are.
class ObjectAdmission {
  public:
    ObjectAdmission() = default;
    ObjectAdmission(const ObjectAdmission&) = delete;
    ObjectAdmission& operator=(const ObjectAdmission&) = delete;
    virtual ~ObjectAdmission() = default;

    /// Defaults of a new or changed object. Errors: Invalid for one that cannot be read;
    /// Unavailable when its namespace or an object above it is not known yet.
    virtual Result<webhook::Verdict> apply_defaults(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const = 0;
    /// Whether a new or changed object is taken. Errors: the same.
    virtual Result<webhook::Verdict> judge(
        const AdmissionContext& context, const api::AdmissionRequest& request
    ) const = 0;
};

}  // namespace sluice::controller
