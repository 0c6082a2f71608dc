// A merge patch that fails if its object has changed since it was read.
#pragma once

#include "api/meta/meta.hpp"
#include "controller/reconcile/reconcile.hpp"

namespace sluice::controller {

/// Returns a write of `patch` with the resourceVersion of `metadata`: the API server refuses it if
/// the object has changed since it was read.
Write strict_patch(
    ObjectKey key, const api::ObjectMeta& metadata, json::Value patch, Verb verb = Verb::MergePatch
);

}  // namespace sluice::controller
