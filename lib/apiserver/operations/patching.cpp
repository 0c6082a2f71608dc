#include "apiserver/operations/patching.hpp"

#include "apiserver/fields/strategic_merge.hpp"
#include "apiserver/objects/go_text.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::size_t kOperationsMax = 10'000;
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

Error unprocessable() {
    return make_failure(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
        json::Object()
    );
}

Error no_patch(std::string_view why) {
    return bad_request(fmt::format("error decoding patch: {}", why));
}

std::string_view value_type(const json::Value& value) {
    return value.is_array()    ? "array"
           : value.is_string() ? "string"
           : value.is_bool()   ? "bool"
                               : "number";
}

Result<json::Value> patch_by_operations(const json::Value& live, const json::Value& patch) {
    if (!patch.is_array()) {
        return no_patch("json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"
        );
    }
    if (patch.as_array().size() > kOperationsMax) {
        return make_failure(
            413,
            "RequestEntityTooLarge",
            fmt::format(
                "Request entity too large: The allowed maximum operations in a JSON patch is {}, "
                "got {}",
                kOperationsMax,
                patch.as_array().size()
            ),
            json::Object()
        );
    }
    if (const auto checked = json::check_json_patch(patch); !checked) {
        return bad_request(checked.error().detail);
    }
    auto patched = json::apply_json_patch(live, patch);
    if (!patched || !patched->is_object()) {
        return unprocessable();
    }
    return patched;
}

/// Returns the metadata with their members in the order in which Go prints them.
json::Value metadata_in_order(const json::Value& metadata) {
    constexpr const char* kMembers[] = {
        "name",
        "generateName",
        "namespace",
        "selfLink",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "ownerReferences",
        "finalizers",
        "managedFields"
    };
    json::Value ordered = json::Object();
    for (const char* name : kMembers) {
        if (const json::Value* member = metadata.find(name)) {
            ordered.set(name, *member);
        }
    }
    return ordered;
}

/// Returns the object with sorted members in all objects that the patch changes, as the API
/// server's patching leaves them.
json::Value with_sorted_members(const json::Value& object, const json::Value* patch) {
    json::Value sorted = json::Object();
    for (const json::Member* member : sorted_members(&object)) {
        const auto& [name, value] = *member;
        const json::Value* below = patch == nullptr ? nullptr : patch->find(name);
        const bool goes_in = below != nullptr && below->is_object() && value.is_object();
        sorted.set(name, goes_in ? with_sorted_members(value, below) : value);
    }
    return sorted;
}

}  // namespace

std::string show_patched(const Request& request, const json::Value& patched) {
    const auto patch = json::parse(request.body);
    if (patch && media_type(request.content_type) == kStrategicPatch) {
        return go_text(*patch);
    }
    json::Value shown = patched;
    if (json::Value* metadata = shown.find("metadata")) {
        *metadata = metadata_in_order(*metadata);
    }
    return json::print(with_sorted_members(shown, patch ? &*patch : nullptr));
}

Result<void> check_patch_type(const Request& request, const ResourceType& type) {
    const std::string media = media_type(request.content_type);
    if (media == kJsonPatch || media == kMergePatch || media == kApplyPatch ||
        (media == kStrategicPatch && !type.is_custom)) {
        return {};
    }
    if (type.is_custom && media == kStrategicPatch) {
        return unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml"
        );
    }
    return make_failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", json::Object());
}

Result<json::Value> apply_patch(
    const Request& request, const ResourceType& type, const json::Value& live
) {
    const auto patch = json::parse(request.body);
    if (!patch) {
        return no_patch(json_fault(request.body));
    }
    const std::string media = media_type(request.content_type);
    if (media == kJsonPatch) {
        return patch_by_operations(live, *patch);
    }
    if (!patch->is_object()) {
        const std::string why = fmt::format(
            "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            value_type(*patch)
        );
        return media == kStrategicPatch ? bad_request(why) : no_patch(why);
    }
    if (media == kMergePatch) {
        json::Value patched = live;
        json::apply_merge_patch(patched, *patch);
        return patched;
    }
    const auto schema = schema_of(type);
    if (schema == nullptr) {
        return unsupported_media_type("the kind has no schema to merge by");
    }
    auto patched = apply_strategic_merge_patch(*schema, live, *patch);
    if (!patched && patched.error().status.empty()) {
        return patched.error().code == ErrorCode::Internal
                   ? make_failure(500, "", patched.error().detail, {})
                   : bad_request(patched.error().detail);
    }
    return patched;
}

Origin patch_origin(const Request& request) {
    return media_type(request.content_type) == kStrategicPatch ? Origin::StrategicPatch
                                                               : Origin::Patch;
}

}  // namespace sluice::apiserver
