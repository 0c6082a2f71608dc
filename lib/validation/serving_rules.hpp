// Validates Deployments, StatefulSets and LeaderWorkerSets, whose pods are jobs.
#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "config/feature_gates.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

/// Rules of objects that are not jobs, but whose pods are: Deployments, StatefulSets and
/// LeaderWorkerSets.
namespace sluice::validation {

/// Validates a new object: queue name, admission gates and elasticity. `group_version_kind`: the
/// kind as errors name it.
api::FieldErrors validate_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
);

/// Validates only the admission gates of a new object.
api::FieldErrors validate_gates(const api::ObjectMeta& object, const config::FeatureGates& gates);

/// Says if pods of the object were ready before the change.
enum class Served : std::uint8_t { No, Yes };

/// Validates a changed object with the rules of a new one, except for those of its admission gates.
api::FieldErrors validate_changed_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
);
/// Rejects changes of immutable labels and annotations. The queue is immutable while pods are
/// ready.
api::FieldErrors validate_serving_update(
    const api::ObjectMeta& before,
    const api::ObjectMeta& after,
    Served served,
    const config::FeatureGates& gates
);

/// Rejects changes of the fields of a pod spec (`path`) that decide what a pod of a group counts
/// for and where it may run. Requests are compared after the API server's defaults.
api::FieldErrors validate_role_fields(
    const json::Value& before, const json::Value& after, const std::string& path
);

}  // namespace sluice::validation
