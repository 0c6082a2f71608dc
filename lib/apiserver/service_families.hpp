#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// What a write of a Service leaves out is as it was: addresses and ports that it was given.
/// `clusterIP` and `clusterIPs` follow each other. `old_service`: nullptr for a new one.
void complete_service(const json::Value* old_service, json::Value& service);

/// Chooses the families of a Service's addresses in a cluster that has IPv4 alone, or finds fault
/// with those that it asks for.
Causes choose_service_families(const json::Value* old_service, json::Value& service);

/// What a Service was given for its old type, and what its new type has no use for, goes.
void drop_service_fields(const json::Value& old_service, json::Value& service);

}  // namespace sluice::apiserver
