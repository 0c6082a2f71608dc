// Decodes metav1.DeleteOptions from a request.
#pragma once

#include "apiserver/types/request.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// metav1.DeleteOptions, from a request's parameters or body.
struct DeletionOptions {
    /// Background, Foreground or Orphan; "" for the default of the kind.
    std::string propagation{};
    std::optional<std::int64_t> grace_seconds{};
    std::string uid{};      ///< precondition; "" if it is not set
    std::string version{};  ///< precondition (resourceVersion); "" if it is not set
    bool is_dry_run = false;
};

/// Reads the options of a request. Errors: BadRequest if they cannot be decoded, Invalid for
/// unknown values.
Result<DeletionOptions> read_deletion_options(const Request& request);

}  // namespace sluice::apiserver
