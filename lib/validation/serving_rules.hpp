#pragma once

#include "api/meta/field_error.hpp"
#include "api/meta/meta.hpp"
#include "config/feature_gates.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>

/// Rules of objects that are no jobs, but whose pods are: Deployments, StatefulSets and
/// LeaderWorkerSets.
namespace sluice::validation {

/// Names, gates and kind of a new object. `group_version_kind`: as errors name its kind.
api::FieldErrors validate_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
);

/// The gates of a new object alone.
api::FieldErrors validate_gates(const api::ObjectMeta& object, const config::FeatureGates& gates);

/// Whether pods of the object are ready, as it was before the change.
enum class Served : std::uint8_t { No, Yes };

/// What of an object that changes is judged as if it were new: all but its gates.
api::FieldErrors validate_changed_serving(
    const api::ObjectMeta& object,
    const std::string& group_version_kind,
    const config::FeatureGates& gates
);
/// What of it may not change.
api::FieldErrors validate_serving_update(
    const api::ObjectMeta& before,
    const api::ObjectMeta& after,
    Served served,
    const config::FeatureGates& gates
);

/// Refuses changes of the fields of a pod spec (`path`) that decide what a pod of a group counts
/// for and where it may run. Requests are compared as the API server fills them in.
api::FieldErrors validate_role_fields(
    const json::Value& before, const json::Value& after, const std::string& path
);

}  // namespace sluice::validation
