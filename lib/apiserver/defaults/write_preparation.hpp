// The fields that the API server itself sets or restores in each write.
#pragma once

#include "json/value.hpp"

#include <string_view>

/// The work of the API server's registries: fields that they set or restore in each write, whatever
/// the request says.
namespace sluice::apiserver {

/// Prepares a built-in object for its creation: empties the status, sets generation, selector and
/// labels of a Job, finalizers and label of a Namespace. Requires: admission is done; metadata.uid,
/// name and creationTimestamp are set.
void prepare_for_create(std::string_view group, std::string_view kind, json::Value& object);

/// Prepares a built-in object for its update, or for an update of a subresource: restores the
/// fields that the write cannot change (the status, or everything but the subresource) from the old
/// object, and increments metadata.generation. Requires: update_managed_fields() is done.
void prepare_for_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const json::Value& old_object,
    json::Value& object
);

/// Prepares an object of a custom resource for its creation, as prepare_for_create() does. The
/// resource may have the subresource `status`.
void prepare_custom_for_create(bool has_status_subresource, json::Value& object);
/// Prepares an object of a custom resource for an update, as prepare_for_update() does.
void prepare_custom_for_update(
    bool has_status_subresource,
    std::string_view subresource,
    const json::Value& old_object,
    json::Value& object
);

}  // namespace sluice::apiserver
