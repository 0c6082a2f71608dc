#pragma once

#include "api/meta/meta.hpp"
#include "controller/reconcile/reconcile.hpp"

#include <optional>
#include <string_view>

namespace sluice::controller {

/// Sets the finalizer `resource-in-use` beside those of others.
Write add_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata);
/// Takes the finalizer `resource-in-use` away and leaves those of others.
Write drop_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata);

/// Holds the finalizer `resource-in-use` on an object that lives, and lets it go when the object is
/// being deleted and is not used any more. None: it is as it must be.
std::optional<Write> keep_finalizer(
    const ObjectKey& key, const api::ObjectMeta& metadata, bool is_used
);

/// The merge patch of the status that turns the one object into the other; none: the statuses are
/// equal.
std::optional<Write> patch_status(
    const ObjectKey& key,
    const api::ObjectMeta& metadata,
    const json::Value& from,
    const json::Value& to
);

}  // namespace sluice::controller
