#include "apiserver/operations/write_operation.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/access/access.hpp"
#include "apiserver/admission/admission_policies.hpp"
#include "apiserver/admission/builtin_admission.hpp"
#include "apiserver/admission/resource_quota.hpp"
#include "apiserver/defaults/write_preparation.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/garbage_collection.hpp"
#include "apiserver/operations/patching.hpp"
#include "apiserver/state/custom_types.hpp"
#include "apiserver/types/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr int kAttemptsMax = 5;
constexpr std::size_t kNameMax = 63;
constexpr int kNamesMax = 8;  ///< attempts to find a free name for a generateName

json::Value& metadata_of(json::Value& object) {
    return object_at(object, "metadata");
}

std::string_view metadata_at(const json::Value& object, std::string_view name) {
    const json::Value* metadata = object.find("metadata");
    return metadata == nullptr ? std::string_view() : metadata->string_at(name);
}

/// Returns true if an update of the kind must contain the resourceVersion that it is based on.
bool needs_version(const ResourceType& type) {
    return type.is_custom || type.kind == "CustomResourceDefinition" || type.kind == "Lease" ||
           type.kind == "RuntimeClass" || type.kind == "APIService" ||
           type.kind == "PodDisruptionBudget" || type.group == "admissionregistration.k8s.io";
}

Error no_version(const ResourceType& type, std::string_view name) {
    ResourceType resource = type;
    resource.kind = type.plural;
    return invalid(
        resource,
        name,
        {api::FieldError::invalid("metadata.resourceVersion", 0, "must be specified for an update")}
    );
}

}  // namespace

WriteOperation::WriteOperation(State& state, Request request, Route route, Verb verb)
    : state_(state),
      request_(std::move(request)),
      route_(std::move(route)),
      verb_(verb),
      stored_type_(state.types.find_stored(route_.type->group, route_.type->plural)),
      collection_(State::collection_of(*route_.type)),
      name_{route_.type->is_namespaced ? route_.ns : std::string(), route_.name},
      owner_(route_.subresource) {}

std::string_view WriteOperation::operation() const {
    return is_deletion() ? "DELETE" : live_ ? "UPDATE" : "CREATE";
}

std::optional<WebhookCall> WriteOperation::advance(Time now) {
    const ConversionScope scope(state_, conversions_);
    while (!is_done_) {
        if (auto call = convert_for_stage()) {
            return call;
        }
        if (is_done_) {
            break;
        }
        Result<void> done;
        switch (stage_) {
            case Stage::Prepare:
                done = prepare(now);
                if (auto call = ask_missing()) {
                    // Prepares the write again, from the same live object: for an object that is
                    // written all the time, the latest one would lack its conversion each time.
                    keeps_live_ = true;
                    return call;
                }
                stage_ = Stage::Choose;
                break;
            case Stage::Choose:
                done = mutate_by_policies();
                if (auto call = ask_missing()) {
                    return call;
                }
                stage_ = Stage::Select;
                break;
            case Stage::Select:
                find_hooks(true);
                stage_ = Stage::Mutate;
                break;
            case Stage::Mutate:
            case Stage::Validate: {
                auto call = call_next_hook();
                if (auto conversion = ask_missing()) {
                    return conversion;
                }
                if (call && *call) {
                    return std::move(*call);
                }
                done = call ? Result<void>() : call.error();
                stage_ = stage_ == Stage::Mutate ? Stage::Check : Stage::Commit;
                break;
            }
            case Stage::Check:
                done = check();
                stage_ = Stage::Judge;
                break;
            case Stage::Judge: {
                std::optional<WebhookCall> asked;
                done = judge(asked);
                if (asked) {
                    return asked;
                }
                break;
            }
            case Stage::Commit:
                done = commit(now);
                break;
        }
        if (!done) {
            fail(done.error());
        }
    }
    response_.warnings.insert(response_.warnings.end(), warnings_.begin(), warnings_.end());
    return std::nullopt;
}

Result<void> WriteOperation::judge(std::optional<WebhookCall>& asked) {
    const std::size_t warning_count = warnings_.size();
    Result<void> done = admit_by_policies();
    asked = ask_missing();
    if (asked) {
        warnings_.resize(warning_count);
    } else if (done) {
        find_hooks(false);
        stage_ = Stage::Validate;
    }
    return done;
}

Result<void> WriteOperation::prepare(Time now) {
    warnings_.clear();
    is_mutated_ = false;
    patched_.reset();
    if (!std::exchange(keeps_live_, false)) {
        live_ = name_.name.empty() ? nullptr : state_.store.find(collection_, name_);
    }
    if (is_deletion()) {
        return prepare_deletion();
    }
    if (verb_ == Verb::Create || (verb_ == Verb::Apply && !live_ && route_.subresource.empty())) {
        live_ = nullptr;
        return prepare_new(now);
    }
    return prepare_change(now);
}

/// Checks and completes the name and namespace of a new object.
Result<void> WriteOperation::name_new() {
    json::Value& metadata = metadata_of(object_);
    if (verb_ == Verb::Apply) {
        if (auto matched = match_url(object_); !matched) {
            return matched;
        }
        if (const auto uid = metadata.string_at("uid"); !uid.empty()) {
            return conflict(
                type(),
                name_.name,
                fmt::format(
                    "uid mismatch: the provided object specified uid {}, and no existing object "
                    "was found",
                    uid
                )
            );
        }
    } else if (auto matched = match_namespace(metadata); !matched) {
        return matched;
    }
    name_.name = metadata.string_at("name");
    return {};
}

Result<void> WriteOperation::prepare_new(Time now) {
    auto body =
        verb_ == Verb::Apply ? read_body(request_, type().kind) : read_body_of(request_, type());
    if (!body) {
        return body.error();
    }
    object_ = std::move(body->object);
    if (verb_ == Verb::Apply) {
        auto applied = apply_config(object_, nullptr, now);
        if (!applied) {
            return applied.error();
        }
        object_ = std::move(*applied);
        if (auto checked = check_applied(std::exchange(body->duplicates, {})); !checked) {
            return checked;
        }
    }
    const Origin origin = verb_ == Verb::Apply ? Origin::Apply : Origin::Body;
    if (auto conformed = conform_to_kind(origin, std::move(body->duplicates)); !conformed) {
        return conformed;
    }
    if (auto named = name_new(); !named) {
        return named;
    }
    if (verb_ == Verb::Create) {
        own_changes(nullptr, now);
    }
    auto admitted = admit_to_namespace(state_, type(), route_.ns, name_.name);
    if (!admitted) {
        return admitted;
    }
    if (auto begun = begin_life(now); !begun) {
        return begun;
    }
    return admit_new_builtin(state_, type(), object_);
}

/// Sets the fields of a new object that only the server sets.
Result<void> WriteOperation::begin_life(Time now) {
    json::Value& made = metadata_of(object_);
    for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}) {
        made.erase(field);
    }
    if (!request_.is_dry_run()) {
        made.erase("resourceVersion");
    }
    if (name_.name.empty() && !made.string_at("generateName").empty()) {
        const std::string prefix =
            std::string(made.string_at("generateName")).substr(0, kNameMax - 5);
        for (int drawn = 0; drawn < kNamesMax && (drawn == 0 || is_taken()); ++drawn) {
            name_.name = prefix + state_.new_suffix();
        }
        if (is_taken()) {
            return no_free_name(type(), name_.name);
        }
        made.set("name", name_.name);
    }
    made.set("uid", state_.new_uid());
    made.set("creationTimestamp", api::to_string(now));
    if (type().kind == "CertificateSigningRequest" && !type().is_custom) {
        // Clients cannot set the requester of a certificate.
        note_requester(object_at(object_, "spec"), subject_of(request_));
    }
    return {};
}

WriteContext WriteOperation::make_context(const ServedVersions& versions, Time now) const {
    return {
        .manager = request_.field_manager(),
        .api_version = type().api_version(),
        .subresource = owner_,
        .now = api::to_string(now),
        .reset = reset_fields_of(
            type().group, type().kind, route_.subresource, type().is_custom && type().has_status
        ),
        .versions = &versions,
        .kind = type().kind
    };
}

Result<json::Value> WriteOperation::apply_config(
    const json::Value& config, const json::Value* live, Time now
) {
    const auto schema = schema_of(type());
    if (schema == nullptr) {
        return internal("the kind has no schema to merge by");
    }
    const ServedVersions versions = served_versions();
    const WriteContext context = make_context(versions, now);
    return apply(live, config, *schema, context, request_.is_set("force"));
}

void WriteOperation::own_changes(const json::Value* before, Time now) {
    const auto schema = schema_of(type());
    if (schema == nullptr) {
        return;
    }
    const ServedVersions versions = served_versions();
    update_managed_fields(before, object_, *schema, make_context(versions, now));
}

Result<void> WriteOperation::conform_to_kind(Origin origin, Duplicates duplicates) {
    const auto validation = origin == Origin::Webhook
                                ? FieldValidation::Ignore
                                : to_field_validation(request_.parameter("fieldValidation"));
    auto warnings = conform(
        type(),
        object_,
        {.origin = origin,
         .validation = validation,
         .duplicates = std::move(duplicates),
         .show = [this](const json::Value& object) { return show_patched(request_, object); }}
    );
    if (!warnings) {
        return warnings.error();
    }
    warnings_.insert(warnings_.end(), warnings->begin(), warnings->end());
    metadata_of(object_);
    return {};
}

Result<void> WriteOperation::check_applied(const Duplicates& duplicates) {
    const std::string refusal = yaml_refusal(duplicates);
    const auto validation = to_field_validation(request_.parameter("fieldValidation"));
    if (refusal.empty() || validation == FieldValidation::Ignore) {
        return {};
    }
    if (validation == FieldValidation::Strict) {
        return bad_request("error strict decoding YAML: error converting YAML to JSON: " + refusal);
    }
    std::ranges::copy(duplicates.texts, std::back_inserter(warnings_));
    return {};
}

/// Requires that the name and namespace of an object are those of the path.
Result<void> WriteOperation::match_url(json::Value& object) const {
    json::Value& metadata = metadata_of(object);
    const auto name = metadata.string_at("name");
    if (name.empty()) {
        return bad_request(fmt::format(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            route_.name
        ));
    }
    if (name != route_.name) {
        return bad_request(fmt::format(
            "the name of the object ({}) does not match the name on the URL ({})", name, route_.name
        ));
    }
    return match_namespace(metadata);
}

Result<void> WriteOperation::match_namespace(json::Value& metadata) const {
    const auto ns = metadata.string_at("namespace");
    if (!ns.empty() && type().is_namespaced && ns != route_.ns) {
        return bad_request(
            "the namespace of the provided object does not match the namespace "
            "sent on the request"
        );
    }
    if (type().is_namespaced) {
        metadata.set("namespace", route_.ns);
    } else {
        metadata.erase("namespace");
    }
    return {};
}

/// Returns the live object with the patch applied.
Result<json::Value> WriteOperation::read_changed() {
    auto patched = apply_patch(request_, type(), before_);
    if (patched) {
        patched->set("apiVersion", type().api_version());
        patched->set("kind", type().kind);
    }
    return patched;
}

Result<void> WriteOperation::prepare_change(Time now) {
    Body body;
    if (verb_ == Verb::Update || verb_ == Verb::Apply) {
        auto read = verb_ == Verb::Apply ? read_body(request_, type().kind)
                                         : read_body_of(request_, type());
        if (!read) {
            return read.error();
        }
        body = std::move(*read);
    }
    if (verb_ == Verb::Update) {
        object_ = std::move(body.object);
        auto conformed = conform_to_kind(Origin::Body, std::move(body.duplicates));
        if (!conformed) {
            return conformed;
        }
        if (auto matched = match_url(object_); !matched) {
            return matched;
        }
    }
    if (!live_) {
        return not_found(type(), name_.name);
    }
    before_ = state_.to_version(*live_, type());
    if (verb_ != Verb::Update) {
        auto changed =
            verb_ == Verb::Apply ? apply_config(body.object, &before_, now) : read_changed();
        if (!changed) {
            return changed.error();
        }
        object_ = std::move(*changed);
        if (auto checked = check_applied(body.duplicates); !checked) {
            return checked;
        }
        const Origin origin = verb_ == Verb::Apply ? Origin::Apply : patch_origin(request_);
        if (auto conformed = conform_to_kind(origin); !conformed) {
            return conformed;
        }
        if (auto matched = match_url(object_); !matched) {
            return matched;
        }
    }
    if (auto matched = match_version(); !matched) {
        return matched;
    }
    keep_server_fields();
    if (verb_ != Verb::Apply) {
        own_changes(&before_, now);
    }
    admit_changed_builtin(type(), route_.subresource, object_);
    return {};
}

/// Requires that the write is based on the live version, if the write contains a version or uid.
Result<void> WriteOperation::match_version() const {
    const auto uid = metadata_at(object_, "uid");
    if (verb_ == Verb::Update && !uid.empty() && uid != metadata_at(before_, "uid")) {
        return conflict(
            type(),
            name_.name,
            fmt::format(
                "StorageError: invalid object, Code: 4, Key: /registry/{}{}/{}{}, ResourceVersion: "
                "0, AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in "
                "object "
                "meta: {}",
                type().is_custom ? type().group + "/" : "",
                type().plural,
                type().is_namespaced ? route_.ns + "/" : "",
                name_.name,
                uid,
                metadata_at(before_, "uid")
            )
        );
    }
    const std::string version(metadata_at(object_, "resourceVersion"));
    if (version.empty() || version == "0") {
        return needs_version(type()) ? Result<void>(no_version(type(), name_.name))
                                     : Result<void>();
    }
    std::uint64_t number = 0;
    const auto [end, fault] =
        std::from_chars(version.data(), version.data() + version.size(), number);
    if (fault != std::errc() || end != version.data() + version.size()) {
        return make_failure(
            500, "", fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version), {}
        );
    }
    if (version != metadata_at(before_, "resourceVersion")) {
        return conflict(type(), name_.name);
    }
    return {};
}

/// Restores the fields that no write can change from the live object.
void WriteOperation::keep_server_fields() {
    json::Value& metadata = metadata_of(object_);
    const json::Value& old = *before_.find("metadata");
    for (const char* field : {"uid", "generateName", "selfLink"}) {
        const json::Value* value = old.find(field);
        if (value != nullptr && metadata.string_at(field).empty()) {
            metadata.set(field, *value);
        }
    }
    for (const char* field :
         {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"
         }) {
        if (const json::Value* value = old.find(field)) {
            metadata.set(field, *value);
        }
    }
}

Result<void> WriteOperation::commit(Time now) {
    if (is_deletion()) {
        is_done_ = true;
        return {};
    }
    const Snapshot latest = state_.store.find(collection_, name_);
    if (latest != live_) {
        // Another client wrote the object while webhooks were called.
        if (verb_ == Verb::Create) {
            return already_exists(type(), name_.name);
        }
        const bool may_repeat = verb_ == Verb::Patch || verb_ == Verb::Apply;
        if (!may_repeat || ++attempts_ > kAttemptsMax) {
            return conflict(type(), name_.name);
        }
        stage_ = Stage::Prepare;
        next_hook_ = 0;
        return {};
    }
    if (live_ && keep_times(before_, object_)) {
        end(make_response(before_, 200));  // nothing has changed
        return {};
    }
    const int status = live_ ? 200 : 201;
    if (type().is_namespaced && route_.subresource.empty()) {
        if (auto fits = check_quotas(state_, type(), live_ ? &before_ : nullptr, object_); !fits) {
            return fits;
        }
    }
    const std::optional<json::Value> shown =
        request_.is_dry_run() ? std::optional(object_) : std::nullopt;
    auto stored = state_.to_stored(std::move(object_), type());
    if (!stored) {
        return stored.error();
    }
    if (shown) {
        end(make_response(*shown, status));
        return {};
    }
    const Snapshot written = state_.store.put(collection_, name_, std::move(*stored));
    if (state_.is_shown_as_stored(*written, type())) {
        end(make_response(*written, status));
    } else {
        end(make_response(state_.to_version(*written, type()), status));
    }
    after_write(state_, *stored_type_, name_, live_, now);
    return {};
}

}  // namespace sluice::apiserver
