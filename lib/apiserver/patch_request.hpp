#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "apiserver/writes.hpp"

namespace sluice::apiserver {

/// Serves PATCH: JSON, merge and strategic merge patches, and server-side apply.
Flow<Result<Written>> patch_object(Core* core, Scope* scope);

}  // namespace sluice::apiserver
