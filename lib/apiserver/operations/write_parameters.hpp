// Checks the parameters of writes.
#pragma once

#include "apiserver/types/request.hpp"
#include "base/error.hpp"

#include <cstdint>

namespace sluice::apiserver {

/// The kind of a write. Delete: only admission is performed; the object is not deleted by the
/// write.
enum class WriteVerb : std::uint8_t { Create, Update, Patch, Apply, Delete };

/// Checks the parameters of a write: dryRun, fieldManager, fieldValidation, force. Errors: Invalid,
/// which names CreateOptions, UpdateOptions or PatchOptions.
Result<void> check_write_parameters(const Request& request, WriteVerb verb);

}  // namespace sluice::apiserver
