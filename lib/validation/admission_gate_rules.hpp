// Validates the annotation admission-gated-by of jobs and Workloads.
#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"

/// Rules of the annotation kueue.x-k8s.io/admission-gated-by of jobs and Workloads.
namespace sluice::validation {

/// Validates the annotation of a new object: domain-prefixed names, separated by commas, without
/// duplicates.
api::FieldErrors validate_admission_gates(const api::ObjectMeta& object);
/// Validates the annotation of a changed object: a change may only remove gates.
api::FieldErrors validate_admission_gates_update(
    const api::ObjectMeta& before, const api::ObjectMeta& after
);

}  // namespace sluice::validation
