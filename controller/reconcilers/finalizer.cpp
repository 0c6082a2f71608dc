#include "controller/reconcilers/finalizer.hpp"

#include "json/patch.hpp"

#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kFinalizer = "kueue.x-k8s.io/resource-in-use";

json::Value status_of(const json::Value& object) {
    const json::Value* status = object.find("status");
    return status == nullptr ? json::Value(json::Object{}) : *status;
}

}  // namespace

std::optional<Write> keep_finalizer(
    const ObjectKey& key, const api::ObjectMeta& metadata, bool is_used
) {
    const bool has = metadata.has_finalizer(kFinalizer);
    const bool is_deleting = metadata.deletion_timestamp.has_value();
    const bool add = !is_deleting && !has;
    const bool drop = is_deleting && has && !is_used;
    if (!add && !drop) {
        return std::nullopt;
    }
    json::Array finalizers;
    for (const std::string& finalizer : metadata.finalizers) {
        if (finalizer != kFinalizer) {
            finalizers.emplace_back(finalizer);
        }
    }
    if (add) {
        finalizers.emplace_back(kFinalizer);
    }
    return Write{
        .verb = Verb::MergePatch,
        .object = key,
        .body =
            json::Object{
                {"metadata",
                 json::Object{
                     {"resourceVersion", metadata.resource_version},
                     {"finalizers",
                      finalizers.empty() ? json::Value() : json::Value(std::move(finalizers))},
                 }},
            },
    };
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
    return Write{
        .verb = Verb::MergePatchStatus,
        .object = key,
        .body =
            json::Object{
                {"metadata", json::Object{{"resourceVersion", metadata.resource_version}}},
                {"status", std::move(patch)},
            },
    };
}

}  // namespace sluice::controller
