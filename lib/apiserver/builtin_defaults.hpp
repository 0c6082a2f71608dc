#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Fills in what the API server fills in when it reads an object of a built-in kind, and prints
/// members as Go does; before managedFields are brought up to date. Unknown kinds stay as they are.
void apply_builtin_defaults(
    std::string_view group, std::string_view version, std::string_view kind, json::Value& object
);

/// What the registry of a built-in kind sets when an object is created: status emptied, generation,
/// selector and labels of a Job, finalizers and label of a Namespace. After admission. Requires:
/// metadata.uid and metadata.name are set.
void prepare_for_create(std::string_view group, std::string_view kind, json::Value& object);

/// What the registry keeps of the old object in an update of the object or of a subresource: status
/// in the one, all else in the other; and counts metadata.generation.
void prepare_for_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const json::Value& old_object,
    json::Value& object
);

/// What built-in admission adds to a pod: tolerations of not-ready and unreachable nodes, the
/// service account `default` and the mount of its token.
void admit_pod(json::Value& pod);

}  // namespace sluice::apiserver
