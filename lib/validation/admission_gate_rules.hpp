#pragma once

#include "api/meta/meta.hpp"
#include "validation/field_error.hpp"

/// Rules of the annotation kueue.x-k8s.io/admission-gated-by of jobs and Workloads.
namespace sluice::validation {

/// Domain-prefixed names, separated by commas, each once.
FieldErrors validate_admission_gates(const api::ObjectMeta& object);
/// The same after a change, which may only take gates away.
FieldErrors validate_admission_gates_update(
    const api::ObjectMeta& before, const api::ObjectMeta& after
);

}  // namespace sluice::validation
