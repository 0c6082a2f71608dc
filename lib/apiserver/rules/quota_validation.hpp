#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What is wrong with the limits and the scopes of a ResourceQuota.
void check_resource_quota(Causes& causes, const json::Value& quota);
/// Its scopes are as they were.
void check_resource_quota_update(
    Causes& causes, const json::Value& quota, const json::Value& old_quota
);

}  // namespace sluice::apiserver
