// Validation of Kubernetes' own kinds and of the metadata of all objects.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Returns the faults of the metadata of any object, which the API server refuses: name or
/// generateName by the rules of the kind, labels, annotations, finalizers, owner references. With
/// an old object, also reports changes of immutable fields.
std::vector<Cause> validate_metadata(
    std::string_view group,
    std::string_view kind,
    bool namespaced,
    const json::Value& object,
    const json::Value* old_object = nullptr
);

/// Returns the faults of a new object of a built-in kind, without those of its metadata.
std::vector<Cause> validate_builtin(
    std::string_view group, std::string_view kind, const json::Value& object
);

/// Returns the faults of an update of a built-in kind: those of the new object that the old one did
/// not have, and changes of immutable fields.
std::vector<Cause> validate_builtin_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const json::Value& object,
    const json::Value& old_object
);

}  // namespace sluice::apiserver
