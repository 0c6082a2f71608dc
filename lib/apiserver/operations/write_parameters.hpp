#pragma once

#include "apiserver/types/request.hpp"
#include "base/error.hpp"

#include <cstdint>

namespace sluice::apiserver {

/// What a write does to its object. Delete: it may go, as far as webhooks and policies say; the
/// write itself does nothing.
enum class WriteVerb : std::uint8_t { Create, Update, Patch, Apply, Delete };

/// Whether the parameters of a write are such as the API server takes: dryRun, fieldManager,
/// fieldValidation, force. Errors: Invalid, which names CreateOptions, UpdateOptions or
/// PatchOptions.
Result<void> check_write_parameters(const Request& request, WriteVerb verb);

}  // namespace sluice::apiserver
