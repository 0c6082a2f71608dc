#pragma once

#include "apiserver/failures.hpp"
#include "apiserver/field_set.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// Who writes, as an entry of metadata.managedFields names it.
struct FieldManager {
    std::string name;
    std::string subresource;  ///< "" for the object itself
    std::string api_version;
    bool is_custom = false;   ///< the object is a custom resource
    bool has_status = false;  ///< the kind has a status subresource: each way owns its own part
};

/// Brings managedFields in line with an update or patch: what it changed is the writer's alone.
/// `before`: null for a new object. Entries without fields go.
void own_changes(
    const json::Value& before,
    json::Value& after,
    const Shape& shape,
    const FieldManager& manager,
    Time now
);

/// Server-side apply: the object with the configuration merged in, without what the manager applied
/// before and leaves out now, and with its new managedFields. `live`: null where there is none.
/// Errors: Conflict when another manager owns what changes, unless `force`.
Result<json::Value> apply_config(
    const json::Value& live,
    const json::Value& config,
    const Shape& shape,
    const FieldManager& manager,
    bool force,
    Time now
);

}  // namespace sluice::apiserver
