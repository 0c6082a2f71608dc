#include "apiserver/patch_request.hpp"

#include "apiserver/decode.hpp"
#include "apiserver/managed_fields.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/strategic_merge.hpp"
#include "apiserver/write_context.hpp"
#include "json/patch.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

enum class PatchType : std::uint8_t { Json, Merge, Strategic, Apply };

std::optional<PatchType> patch_type_of(const Scope& scope) {
    const auto type = media_type(scope.request.content_type);
    if (type == "application/json-patch+json") {
        return PatchType::Json;
    }
    if (type == "application/merge-patch+json") {
        return PatchType::Merge;
    }
    if (type == "application/strategic-merge-patch+json" && !scope.resource->is_custom) {
        return PatchType::Strategic;
    }
    if (type == "application/apply-patch+yaml") {
        return PatchType::Apply;
    }
    return std::nullopt;
}

Error unsupported_patch(const Scope& scope) {
    if (scope.resource->is_custom) {
        return make_status_error(
            415,
            "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml"
        );
    }
    return make_status_error(
        415, "UnsupportedMediaType", "415: Unsupported Media Type", json::Object{}
    );
}

std::string_view go_name(const Value& value) {
    if (value.is_object()) {
        return "object";
    }
    if (value.is_array()) {
        return "array";
    }
    if (value.is_string()) {
        return "string";
    }
    return value.is_bool() ? "bool" : "number";
}

Error cannot_unmarshal(const Value& patch, std::string_view type) {
    return bad_request(fmt::format(
        "error decoding patch: json: cannot unmarshal {} into Go value of type {}",
        go_name(patch),
        type
    ));
}

Result<Value> parse_patch(const Core& core, const Scope& scope, PatchType type) {
    const auto& body = scope.request.body;
    if (body.size() > core.options.body_bytes_max) {
        return make_status_error(
            413,
            "RequestEntityTooLarge",
            fmt::format("Request entity too large: limit is {}", core.options.body_bytes_max)
        );
    }
    if (type == PatchType::Apply) {
        auto parsed = yaml::parse_document(body);
        if (!parsed) {
            return bad_request(fmt::format(
                "error decoding YAML: error converting YAML to JSON: yaml: {}",
                parsed.error().detail
            ));
        }
        return std::move(*parsed);
    }
    auto parsed = json::parse(body);
    if (!parsed) {
        return bad_request(fmt::format("error decoding patch: {}", parsed.error().detail));
    }
    if (type == PatchType::Json && !parsed->is_array()) {
        return cannot_unmarshal(*parsed, "[]handlers.jsonPatchOp");
    }
    if (type != PatchType::Json && !parsed->is_object()) {
        return cannot_unmarshal(*parsed, "map[string]interface {}");
    }
    return std::move(*parsed);
}

Error unprocessable() {
    return make_status_error(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
        json::Object{}
    );
}

Result<Value> apply_patch(
    const Scope& scope, PatchType type, const Value& present, const Value& patch
) {
    if (type == PatchType::Json) {
        auto patched = json::apply_json_patch(present, patch);
        if (!patched || !patched->is_object()) {
            return unprocessable();
        }
        return patched;
    }
    if (type == PatchType::Merge) {
        Value patched = present;
        json::apply_merge_patch(patched, patch);
        return patched;
    }
    const auto schema = schema_of(*scope.resource, *scope.version);
    if (schema == nullptr) {
        return unsupported_patch(scope);
    }
    auto patched = apply_strategic_merge_patch(*schema, present, patch);
    if (!patched && patched.error().status.empty()) {
        return bad_request(patched.error().detail);
    }
    return patched;
}

/// Unknown fields that a patch brings are told of as invalid values of the patch.
Result<void> normalize_patched(Scope& scope, Value& object, const Value& patch) {
    auto normal = normalize_object(scope, object, true);
    if (normal || scope.field_validation != FieldValidation::Strict) {
        return normal;
    }
    const auto at = normal.error().detail.find("strict decoding error");
    if (at == std::string::npos) {
        return normal;
    }
    return invalid_object(
        {"", ""},
        "",
        {invalid_value("patch", Value(json::print(patch)), normal.error().detail.substr(at))}
    );
}

Change make_patch_change(Scope* scope, PatchType type, const Value* patch) {
    return [scope, type, patch](const Value* present) -> Result<Value> {
        auto patched = apply_patch(*scope, type, *present, *patch);
        if (!patched) {
            return patched.error();
        }
        if (const auto normal = normalize_patched(*scope, *patched, *patch); !normal) {
            return normal.error();
        }
        if (const auto matched = match_url(*scope, *patched, true); !matched) {
            return matched.error();
        }
        return patched;
    };
}

Result<void> check_applied(const Scope& scope, const Value& config) {
    const auto api_version = config.string_at("apiVersion");
    const auto kind = config.string_at("kind");
    if (kind.empty()) {
        return bad_request(fmt::format(
            "invalid object type: /, Kind={}", kind
        ));
    }
    if (api_version != scope.api_version()) {
        return bad_request(fmt::format(
            "Incorrect version specified in apply patch. Specified patch version: {}, expected: {}",
            api_version,
            scope.api_version()
        ));
    }
    return {};
}

Change make_apply_change(Core* core, Scope* scope, const Value* config) {
    return [core, scope, config](const Value* present) -> Result<Value> {
        Value wanted = *config;
        if (const auto matched = match_url(*scope, wanted, true); !matched) {
            return matched.error();
        }
        const auto schema = schema_of(*scope->resource, *scope->version);
        if (schema == nullptr) {
            return unsupported_patch(*scope);
        }
        const WriteContextSource source(*core, *scope);
        const bool is_forced = scope->query.is_true("force");
        auto applied = apply(present, wanted, *schema, source.context(), is_forced);
        if (!applied) {
            return applied.error();
        }
        if (const auto normal = normalize_object(*scope, *applied, true); !normal) {
            return normal.error();
        }
        return applied;
    };
}

}  // namespace

Flow<Result<Written>> patch_object(Core* core, Scope* scope) {
    const auto type = patch_type_of(*scope);
    if (!type) {
        co_return unsupported_patch(*scope);
    }
    if (*type == PatchType::Apply && scope->field_manager.empty()) {
        co_return invalid_options(
            "PatchOptions", {required_value("fieldManager", "is required for apply patch")}
        );
    }
    if (*type != PatchType::Apply && scope->query.has("force")) {
        co_return invalid_options(
            "PatchOptions", {forbidden("force", "may not be specified for non-apply patch")}
        );
    }
    const auto patch = parse_patch(*core, *scope, *type);
    if (!patch) {
        co_return patch.error();
    }
    if (*type != PatchType::Apply) {
        co_return co_await update_object(core, scope, make_patch_change(scope, *type, &*patch));
    }
    if (const auto checked = check_applied(*scope, *patch); !checked) {
        co_return checked.error();
    }
    const UpdateOptions options{
        .may_create = scope->subresource == nullptr, .owns_managed_fields = true
    };
    co_return co_await update_object(
        core, scope, make_apply_change(core, scope, &*patch), options
    );
}

}  // namespace sluice::apiserver
