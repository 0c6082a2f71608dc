#pragma once

#include "apiserver/types/request.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// metav1.DeleteOptions, of a request's parameters and body.
struct DeletionOptions {
    std::string propagation{};  ///< Background, Foreground, Orphan; "": the kind's own
    std::optional<std::int64_t> grace_seconds{};
    std::string uid{};      ///< a precondition
    std::string version{};  ///< a precondition
    bool is_dry_run = false;
};

/// Errors: BadRequest for what cannot be read, Invalid for values that are not known.
Result<DeletionOptions> read_deletion_options(const Request& request);

}  // namespace sluice::apiserver
