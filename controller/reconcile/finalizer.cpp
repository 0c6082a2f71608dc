#include "controller/reconcile/finalizer.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/reconcile/strict_patch.hpp"
#include "json/patch.hpp"

#include <utility>

namespace sluice::controller {

namespace {

json::Value status_of(const json::Value& object) {
    const json::Value* status = object.find("status");
    return status == nullptr ? json::Value(json::Object{}) : *status;
}

json::Array other_finalizers(const api::ObjectMeta& metadata) {
    json::Array finalizers;
    for (const std::string& finalizer : metadata.finalizers) {
        if (finalizer != api::finalizer::kResourceInUse) {
            finalizers.emplace_back(finalizer);
        }
    }
    return finalizers;
}

Write patch_finalizers(
    const ObjectKey& key, const api::ObjectMeta& metadata, json::Array finalizers
) {
    json::Value list = finalizers.empty() ? json::Value() : json::Value(std::move(finalizers));
    return strict_patch(
        key, metadata, json::Object{{"metadata", json::Object{{"finalizers", std::move(list)}}}}
    );
}

}  // namespace

Write add_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata) {
    json::Array finalizers = other_finalizers(metadata);
    finalizers.emplace_back(api::finalizer::kResourceInUse);
    return patch_finalizers(key, metadata, std::move(finalizers));
}

Write drop_in_use_finalizer(const ObjectKey& key, const api::ObjectMeta& metadata) {
    return patch_finalizers(key, metadata, other_finalizers(metadata));
}

std::optional<Write> keep_finalizer(
    const ObjectKey& key, const api::ObjectMeta& metadata, bool is_used
) {
    const bool has = metadata.has_finalizer(api::finalizer::kResourceInUse);
    const bool is_deleting = metadata.deletion_timestamp.has_value();
    if (!is_deleting && !has) {
        return add_in_use_finalizer(key, metadata);
    }
    if (is_deleting && has && !is_used) {
        return drop_in_use_finalizer(key, metadata);
    }
    return std::nullopt;
}

std::optional<Write> patch_status(
    const ObjectKey& key,
    const api::ObjectMeta& metadata,
    const json::Value& from,
    const json::Value& to
) {
    json::Value patch = json::make_merge_patch(status_of(from), status_of(to));
    if (patch.as_object().empty()) {
        return std::nullopt;
    }
    return strict_patch(
        key, metadata, json::Object{{"status", std::move(patch)}}, Verb::MergePatchStatus
    );
}

}  // namespace sluice::controller
