#pragma once

#include "json/value.hpp"

#include <string_view>

/// What the API server's registries set and put back in each write, whatever the request says.
namespace sluice::apiserver {

/// Before a built-in object is created: status emptied, generation, selector and labels of a Job,
/// finalizers and label of a Namespace. After admission. Requires: metadata.uid, name
/// and creationTimestamp are set.
void prepare_for_create(std::string_view group, std::string_view kind, json::Value& object);

/// Before a built-in object or a subresource of it is updated: keeps of the old object what the
/// write cannot change (status in the one, all else in the other), and counts metadata.generation.
/// After update_managed_fields().
void prepare_for_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const json::Value& old_object,
    json::Value& object
);

/// The same for an object of a custom resource, which may have the subresource `status`.
void prepare_custom_for_create(bool has_status_subresource, json::Value& object);
void prepare_custom_for_update(
    bool has_status_subresource,
    std::string_view subresource,
    const json::Value& old_object,
    json::Value& object
);

}  // namespace sluice::apiserver
