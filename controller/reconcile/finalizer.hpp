// Writes that add and remove the finalizer `resource-in-use`, and patches of an object's status.
#pragma once

#include "api/meta/meta.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <optional>
#include <string_view>

namespace sluice::controller {

/// Returns a write that adds the finalizer `resource-in-use` and keeps all other finalizers.
Write add_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata);
/// Returns a write that removes the finalizer `resource-in-use` and keeps all other finalizers.
Write drop_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata);

/// Adds the finalizer `resource-in-use` to an object that is not being deleted. Removes it if the
/// object is being deleted and is not used any more. Returns nullopt if nothing has to change.
std::optional<Write> keep_finalizer(
    const ObjectKey& key, const api::ObjectMeta& metadata, bool is_used
);

/// Returns a merge patch that changes the status of `from` into that of `to`; nullopt if both are
/// equal.
std::optional<Write> patch_status(
    const ObjectKey& key,
    const api::ObjectMeta& metadata,
    const json::Value& from,
    const json::Value& to
);

}  // namespace sluice::controller
