#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"
#include "kube/core/kind.hpp"

#include <string>
#include <string_view>

/// Who owns which field of an object (metadata.managedFields), by the rules of the embedded API
/// server. Kept of the kinds that the controller applies to; others stay as they are.
namespace sluice::controller {

/// The object after a server-side apply to its status, forced. Errors: as the API server's.
Result<json::Value> apply_to_status(
    kube::Kind kind,
    const json::Value& live,
    const json::Value& config,
    std::string_view manager,
    Time now
);

/// Notes what a create (`before` is nullptr), update or patch of the object, or of its
/// subresource, changed.
void note_update(
    kube::Kind kind,
    const json::Value* before,
    json::Value& after,
    std::string_view manager,
    std::string_view subresource,
    Time now
);

}  // namespace sluice::controller
