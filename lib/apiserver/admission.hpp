#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// A write on its way through admission. Lifetime: that of the flow that makes the write.
struct AdmissionRequest {
    Scope* scope = nullptr;
    std::string_view operation;               ///< CREATE, UPDATE or DELETE
    json::Value* object = nullptr;            ///< nullptr: of a deletion
    const json::Value* old_object = nullptr;  ///< nullptr: of a create
};

/// Whether the namespace takes this write. Errors: 404 where there is none, 403 where it ends.
Result<void> admit_namespace(const Core& core, const Scope& scope);

/// Lets built-in plugins and mutating webhooks change the object. Errors: 403 of plugins and what
/// webhooks answer.
Flow<Result<void>> admit_mutating(Core* core, AdmissionRequest request);

/// Asks built-in plugins and validating webhooks. Errors: the same.
Flow<Result<void>> admit_validating(Core* core, AdmissionRequest request);

}  // namespace sluice::apiserver
