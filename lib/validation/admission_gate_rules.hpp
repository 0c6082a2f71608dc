#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"

/// Rules of the annotation kueue.x-k8s.io/admission-gated-by of jobs and Workloads.
namespace sluice::validation {

/// Domain-prefixed names, separated by commas, each once.
api::FieldErrors validate_admission_gates(const api::ObjectMeta& object);
/// The same after a change, which may only take gates away.
api::FieldErrors validate_admission_gates_update(
    const api::ObjectMeta& before, const api::ObjectMeta& after
);

}  // namespace sluice::validation
