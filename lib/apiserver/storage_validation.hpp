#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

#include <string>

namespace sluice::apiserver {

/// What is wrong with claims to volumes, volumes and their classes, and with changes of them.
void check_volume_claim(Causes& causes, const json::Value& claim);
void check_volume_claim_update(
    Causes& causes, const json::Value& claim, const json::Value& old_claim
);
/// The spec of a claim, or of a template of claims.
void check_claim_spec(Causes& causes, const std::string& path, const json::Value& spec);
void check_volume(Causes& causes, const json::Value& volume);
void check_volume_update(Causes& causes, const json::Value& volume, const json::Value& old_volume);
void check_storage_class(Causes& causes, const json::Value& storage_class);
void check_storage_class_update(
    Causes& causes, const json::Value& storage_class, const json::Value& old_storage_class
);

}  // namespace sluice::apiserver
