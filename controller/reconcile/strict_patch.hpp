#pragma once

#include "api/meta/meta.hpp"
#include "controller/reconcile/reconcile.hpp"

namespace sluice::controller {

/// A merge patch that the server refuses when the object changed since it was seen: `patch` with
/// the resourceVersion of `metadata`.
Write strict_patch(
    ObjectKey key, const api::ObjectMeta& metadata, json::Value patch, Verb verb = Verb::MergePatch
);

}  // namespace sluice::controller
