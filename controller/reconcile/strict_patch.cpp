#include "controller/reconcile/strict_patch.hpp"

#include <utility>

namespace sluice::controller {

Write strict_patch(ObjectKey key, const api::ObjectMeta& metadata, json::Value patch, Verb verb) {
    json::Value patched = json::Object{{"resourceVersion", metadata.resource_version}};
    if (const json::Value* given = patch.find("metadata")) {
        for (const auto& [name, value] : given->as_object()) {
            patched.set(name, value);
        }
    }
    patch.set("metadata", std::move(patched));
    return {.verb = verb, .object = std::move(key), .body = std::move(patch)};
}

}  // namespace sluice::controller
