// Validation of kinds that do not create pods, such as ConfigMap, Node and RBAC kinds.
#pragma once

#include "apiserver/objects/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Checks objects of kinds that do not create pods, and updates of such objects.
void check_config_map(Causes& causes, const json::Value& map);
void check_config_map_update(Causes& causes, const json::Value& map, const json::Value& old_map);
void check_secret(Causes& causes, const json::Value& secret);
void check_secret_update(Causes& causes, const json::Value& secret, const json::Value& old_secret);
void check_event(Causes& causes, const json::Value& event);
void check_limit_range(Causes& causes, const json::Value& range);
void check_node(Causes& causes, const json::Value& node);
void check_lease(Causes& causes, const json::Value& lease);
void check_runtime_class(Causes& causes, const json::Value& runtime_class);
void check_runtime_class_update(
    Causes& causes, const json::Value& runtime_class, const json::Value& old_runtime_class
);
void check_role(Causes& causes, const json::Value& role);
void check_role_binding(Causes& causes, const json::Value& binding);
void check_role_binding_update(
    Causes& causes, const json::Value& binding, const json::Value& old_binding
);
void check_priority_class(Causes& causes, const json::Value& priority_class);
void check_priority_class_update(
    Causes& causes, const json::Value& priority_class, const json::Value& old_priority_class
);

}  // namespace sluice::apiserver
