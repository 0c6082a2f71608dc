#include "apiserver/fields/managed_fields.hpp"

#include <algorithm>

// Detects writes that change nothing but times.
namespace sluice::apiserver {
namespace {

using json::Value;

/// Returns the metadata without resourceVersion and times, which every write sets.
Value without_times(const Value& metadata) {
    Value out = metadata;
    out.erase("resourceVersion");
    Value* managed = out.find("managedFields");
    if (managed != nullptr && managed->is_array()) {
        for (auto& entry : managed->as_array()) {
            entry.erase("time");
        }
    }
    return out;
}

bool is_same_but_for_times(const Value& before, const Value& after) {
    const Value* old_metadata = before.find("metadata");
    const Value* new_metadata = after.find("metadata");
    if (old_metadata == nullptr || new_metadata == nullptr ||
        before.as_object().size() != after.as_object().size()) {
        return false;
    }
    // Metadata are compared last: they have to be copied for it.
    const bool is_same_beside =
        std::ranges::all_of(before.as_object(), [&after](const json::Member& member) {
            const Value* other = after.find(member.first);
            return member.first == "metadata" || (other != nullptr && member.second == *other);
        });
    return is_same_beside && without_times(*old_metadata) == without_times(*new_metadata);
}

}  // namespace

bool keep_times(const Value& before, Value& after) {
    if (!is_same_but_for_times(before, after)) {
        return false;
    }
    after = before;
    return true;
}

}  // namespace sluice::apiserver
