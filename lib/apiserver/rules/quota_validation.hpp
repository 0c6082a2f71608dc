// Validation of ResourceQuotas.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Checks the limits and the scopes of a ResourceQuota.
void check_resource_quota(Causes& causes, const json::Value& quota);
/// Requires that an update does not change the scopes.
void check_resource_quota_update(
    Causes& causes, const json::Value& quota, const json::Value& old_quota
);

}  // namespace sluice::apiserver
