#pragma once

#include "apiserver/admission.hpp"

namespace sluice::apiserver {

/// Calls the mutating webhooks that match, one after the other, by their names' order; those that
/// ask for it once more after a later one has changed the object.
Flow<Result<void>> call_mutating_webhooks(Core* core, AdmissionRequest request);

/// Calls the validating webhooks that match.
Flow<Result<void>> call_validating_webhooks(Core* core, AdmissionRequest request);

}  // namespace sluice::apiserver
