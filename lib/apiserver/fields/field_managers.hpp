#pragma once

#include "apiserver/fields/field_set.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// One entry of managedFields.
struct FieldManager {
    std::string name;
    bool applies = false;  ///< operation Apply, else Update
    std::string api_version;
    std::string subresource;
    std::string time;  ///< empty: none
    FieldSet fields;

    /// Whether both are the same manager: an applier is so in whatever version.
    bool is_same(const FieldManager& other) const;
    /// The manager as messages of conflicts name it.
    std::string printed() const;
};

using FieldManagers = std::vector<FieldManager>;

/// Reads metadata.managedFields of an object. Errors: Invalid for an entry that is malformed.
Result<FieldManagers> decode_managers(const json::Value& object);

/// Writes metadata.managedFields in the API server's order, or removes it when there is no manager.
/// `is_builtin`: members in the order of the built-in kinds rather than of custom resources.
void encode_managers(FieldManagers managers, json::Value& object, bool is_builtin);

/// Merges the oldest updaters into one of a version each where there are more than ten.
void cap_updaters(FieldManagers& managers);

/// The entry of a manager; nullptr: it has none.
FieldManager* find_manager(FieldManagers& managers, const FieldManager& manager);

}  // namespace sluice::apiserver
