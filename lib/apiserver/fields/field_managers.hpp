// The entries of metadata.managedFields: reads, writes and merges them.
#pragma once

#include "apiserver/fields/field_set.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// One entry of metadata.managedFields.
struct FieldManager {
    std::string name;
    bool applies = false;  ///< true for the operation Apply, false for Update
    std::string api_version;
    std::string subresource;
    std::string time;  ///< RFC 3339; empty if the entry has no time
    FieldSet fields;

    /// Returns true if both entries belong to the same manager. Versions are ignored for operation
    /// Apply.
    bool is_same(const FieldManager& other) const;
    /// Returns the manager as messages of conflicts name it.
    std::string printed() const;
};

using FieldManagers = std::vector<FieldManager>;

/// Reads metadata.managedFields of an object. Errors: Invalid for a malformed entry.
Result<FieldManagers> decode_managers(const json::Value& object);

/// Writes metadata.managedFields in the API server's order; removes it if `managers` is empty.
/// `is_builtin`: orders the members of an entry as for built-in kinds, not as for custom resources.
void encode_managers(FieldManagers managers, json::Value& object, bool is_builtin);

/// If there are more than ten entries of operation Update, merges the oldest of them into one entry
/// per version, named ancient-changes.
void cap_updaters(FieldManagers& managers);

/// Returns the entry of the same manager; nullptr if it has none.
FieldManager* find_manager(FieldManagers& managers, const FieldManager& manager);

}  // namespace sluice::apiserver
