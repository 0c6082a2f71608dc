#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// What the API server refuses of the metadata of any object: name or generateName by the rules of
/// its kind, labels, annotations, finalizers, owner references. With an old object: also what must
/// not change.
std::vector<Cause> validate_metadata(
    std::string_view group,
    std::string_view kind,
    bool namespaced,
    const json::Value& object,
    const json::Value* old_object = nullptr
);

/// What the API server refuses of a new object of a built-in kind besides its metadata.
std::vector<Cause> validate_builtin(
    std::string_view group, std::string_view kind, const json::Value& object
);

/// What it refuses of an update: the same, and changes of what must not change.
std::vector<Cause> validate_builtin_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const json::Value& object,
    const json::Value& old_object
);

}  // namespace sluice::apiserver
