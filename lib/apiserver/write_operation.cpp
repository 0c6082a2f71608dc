#include "apiserver/write_operation.hpp"

#include "api/micro_time.hpp"
#include "apiserver/body.hpp"
#include "apiserver/builtin_defaults.hpp"
#include "apiserver/custom_rules.hpp"
#include "apiserver/custom_types.hpp"
#include "apiserver/deletion.hpp"
#include "apiserver/managed_fields.hpp"
#include "apiserver/object_names.hpp"
#include "apiserver/schema.hpp"
#include "apiserver/strategic_merge.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr int kAttemptsMax = 5;
constexpr std::size_t kNameMax = 63;

/// What the server alone writes, and keeps from one state of an object to the next.
constexpr std::string_view kServerFields[] = {
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "resourceVersion",
    "selfLink"
};

json::Value& metadata_of(json::Value& object) {
    return *object.find("metadata");
}

/// Whether two states differ in what metadata.generation counts.
bool differs_in_spec(const json::Value& a, const json::Value& b, const ResourceType& type) {
    if (!type.is_custom) {
        const json::Value none;
        const json::Value* spec_a = a.find("spec");
        const json::Value* spec_b = b.find("spec");
        return (spec_a == nullptr ? none : *spec_a) != (spec_b == nullptr ? none : *spec_b);
    }
    json::Value left = a;
    json::Value right = b;
    for (json::Value* object : {&left, &right}) {
        object->erase("metadata");
        if (type.has_status) {
            object->erase("status");
        }
    }
    return left != right;
}

std::string_view subresource_of(const Route& route) {
    return route.subresource == "status" ? std::string_view("status") : std::string_view();
}

/// Without what changes with every write.
json::Value comparable(json::Value object) {
    json::Value& metadata = metadata_of(object);
    metadata.erase("resourceVersion");
    if (json::Value* entries = metadata.find("managedFields");
        entries != nullptr && entries->is_array()) {
        for (json::Value& entry : entries->as_array()) {
            entry.erase("time");
        }
    }
    return object;
}

}  // namespace

WriteOperation::WriteOperation(State& state, Request request, Route route, Verb verb)
    : state_(state),
      request_(std::move(request)),
      route_(std::move(route)),
      verb_(verb),
      stored_type_(state.types.find_stored(route_.type->group, route_.type->plural)),
      collection_(State::collection_of(*route_.type)),
      name_{route_.ns, route_.name} {}

std::string_view WriteOperation::operation() const {
    return live_ ? "UPDATE" : "CREATE";
}

std::optional<WebhookCall> WriteOperation::advance(Time now) {
    while (!is_done_) {
        Result<void> done;
        switch (stage_) {
            case Stage::Prepare:
                done = prepare(now);
                if (done && !is_done_) {
                    find_hooks(true);
                    stage_ = Stage::Mutate;
                }
                break;
            case Stage::Mutate:
            case Stage::Validate:
                if (next_hook_ < hooks_.size()) {
                    const Hook& hook = hooks_[next_hook_];
                    const json::Value* timeout = hook.configuration.find("timeoutSeconds");
                    return WebhookCall{
                        .client_config = *hook.configuration.find("clientConfig"),
                        .review = make_review(hook),
                        .timeout_seconds =
                            timeout != nullptr && timeout->is_int() ? timeout->as_int() : 10
                    };
                }
                stage_ = stage_ == Stage::Mutate ? Stage::Check : Stage::Commit;
                break;
            case Stage::Check:
                done = check();
                if (done) {
                    find_hooks(false);
                    stage_ = Stage::Validate;
                }
                break;
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

Result<void> WriteOperation::check_namespace() const {
    if (!route_.type->is_namespaced) {
        return {};
    }
    const auto ns_type = state_.types.find("", "v1", "namespaces");
    const Snapshot ns = state_.store.find({"", "namespaces"}, {"", route_.ns});
    if (!ns) {
        return not_found(*ns_type, route_.ns);
    }
    if (ns->find_path({"metadata", "deletionTimestamp"}) != nullptr) {
        return forbidden(
            *route_.type,
            object_.find("metadata")->string_at("name"),
            fmt::format(
                "unable to create new content in namespace {} because it is being terminated",
                route_.ns
            )
        );
    }
    return {};
}

Result<void> WriteOperation::prepare(Time now) {
    live_ = name_.name.empty() ? nullptr : state_.store.find(collection_, name_);
    if (verb_ == Verb::Create || (verb_ == Verb::Apply && !live_ && route_.subresource.empty())) {
        return prepare_new(now);
    }
    if (!live_) {
        return not_found(*route_.type, name_.name);
    }
    return prepare_change(now);
}

/// Checks and completes name and namespace of a new object.
Result<void> WriteOperation::name_new(json::Value& config) {
    json::Value& metadata = metadata_of(config);
    if (route_.type->is_namespaced) {
        const std::string ns(metadata.string_at("namespace"));
        if (!ns.empty() && ns != route_.ns) {
            return bad_request(
                "the namespace of the provided object does not match the namespace "
                "sent on the request"
            );
        }
        metadata.set("namespace", route_.ns);
    } else {
        metadata.erase("namespace");
    }
    if (verb_ == Verb::Create && !metadata.string_at("resourceVersion").empty()) {
        return make_failure(
            500, "", "resourceVersion should not be set on objects to be created", {}
        );
    }
    std::string name(metadata.string_at("name"));
    if (verb_ == Verb::Apply) {
        if (!name.empty() && name != route_.name) {
            return bad_request(fmt::format(
                "the name of the object ({}) does not match the name on the URL ({})",
                name,
                route_.name
            ));
        }
        name = route_.name;
        metadata.set("name", name);
    }
    if (name.empty() && !metadata.string_at("generateName").empty()) {
        const std::string prefix(metadata.string_at("generateName"));
        name = prefix.substr(0, kNameMax - 5) + state_.new_suffix();
        metadata.set("name", name);
    }
    name_ = {route_.type->is_namespaced ? route_.ns : std::string(), name};
    return {};
}

Result<void> WriteOperation::prepare_new(Time now) {
    auto read = read_object_of(request_, *route_.type);
    if (!read) {
        return read.error();
    }
    if (auto named = name_new(*read); !named) {
        return named;
    }
    const json::Value& config = *read;
    object_ = config;
    if (auto ns = check_namespace(); !ns) {
        return ns;
    }
    live_ = nullptr;
    if (!name_.name.empty() && state_.store.find(collection_, name_)) {
        return already_exists(*route_.type, name_.name);
    }
    if (verb_ == Verb::Apply) {
        const FieldManager manager{
            .name = request_.field_manager(),
            .subresource = "",
            .api_version = route_.type->api_version(),
            .is_custom = route_.type->is_custom,
            .has_status = route_.type->has_status
        };
        auto applied = apply_config({}, config, shape_of(*route_.type), manager, true, now);
        if (!applied) {
            return applied.error();
        }
        object_ = std::move(*applied);
    }
    begin_life(now);
    if (auto stored = state_.to_stored(std::move(object_), *route_.type); stored) {
        object_ = std::move(*stored);
    } else {
        return stored.error();
    }
    if (auto filled = fill_in(); !filled) {
        return filled;
    }
    return prepare_new_builtin(state_, *stored_type_, object_);
}

/// What the server alone gives to a new object.
void WriteOperation::begin_life(Time now) {
    json::Value& made = metadata_of(object_);
    for (const std::string_view field : kServerFields) {
        made.erase(field);
    }
    if (verb_ == Verb::Create) {
        made.erase("managedFields");
    }
    made.set("uid", state_.new_uid());
    made.set("creationTimestamp", api::to_string(now));
    if (route_.type->is_custom || route_.type->generates) {
        made.set("generation", 1);
    }
    if (route_.type->has_status) {
        object_.erase("status");
    }
}

Result<json::Value> WriteOperation::apply(const json::Value& live, Time now) {
    auto config = read_object_of(request_, *route_.type);
    if (!config) {
        return config.error();
    }
    const FieldManager manager{
        .name = request_.field_manager(),
        .subresource = std::string(subresource_of(route_)),
        .api_version = route_.type->api_version(),
        .is_custom = route_.type->is_custom,
        .has_status = route_.type->has_status
    };
    const json::Value* version = config->find_path({"metadata", "resourceVersion"});
    const json::Value* uid = config->find_path({"metadata", "uid"});
    const json::Value* own_uid = live.find_path({"metadata", "uid"});
    if (uid != nullptr && uid->is_string() && own_uid != nullptr && *uid != *own_uid) {
        return conflict(
            *route_.type,
            name_.name,
            fmt::format(
                "uid mismatch: the provided object specified uid {}, and no existing "
                "object was found",
                uid->as_string()
            )
        );
    }
    if (version != nullptr && version->is_string() && !version->as_string().empty() &&
        *version != *live.find_path({"metadata", "resourceVersion"})) {
        return conflict(*route_.type, name_.name);
    }
    const bool is_forced = request_.is_set("force");
    return apply_config(live, *config, shape_of(*route_.type), manager, is_forced, now);
}

Result<json::Value> WriteOperation::read_changed(const json::Value& live, Time now) {
    if (verb_ == Verb::Update) {
        return read_object_of(request_, *route_.type);
    }
    if (verb_ == Verb::Apply) {
        return apply(live, now);
    }
    const std::string type = media_type(request_.content_type);
    auto patch = json::parse(request_.body, {.depth = 100});
    if (!patch) {
        return bad_request("error decoding patch: " + patch.error().detail);
    }
    json::Value changed = live;
    if (type == "application/json-patch+json") {
        if (!patch->is_array()) {
            return bad_request(
                "error decoding patch: json: cannot unmarshal object into Go value "
                "of type jsonpatch.Patch"
            );
        }
        if (const auto done = json::apply_json_patch(changed, patch->as_array()); !done) {
            return make_failure(
                422,
                "Invalid",
                "the server rejected our request due to an error in our request",
                json::Object()
            );
        }
    } else if (!patch->is_object()) {
        return bad_request("error decoding patch: a patch is an object");
    } else if (type == "application/strategic-merge-patch+json") {
        if (route_.type->is_custom) {
            return unsupported_media_type(
                "the body of the request was in an unknown format - accepted media types include: "
                "application/json-patch+json, application/merge-patch+json, "
                "application/apply-patch+yaml"
            );
        }
        if (const auto done = apply_strategic_merge_patch(changed, *patch); !done) {
            return bad_request(done.error().detail);
        }
    } else if (type == "application/merge-patch+json") {
        json::apply_merge_patch(changed, *patch);
    } else {
        return unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/strategic-merge-patch+json, application/apply-patch+yaml"
        );
    }
    if (!changed.is_object() || changed.find("metadata") == nullptr ||
        !changed.find("metadata")->is_object()) {
        return bad_request("the patched object has no metadata");
    }
    changed.set("apiVersion", route_.type->api_version());
    changed.set("kind", route_.type->kind);
    return changed;
}

Result<void> WriteOperation::prepare_change(Time now) {
    const json::Value live = State::to_version(*live_, *route_.type);
    auto changed = read_changed(live, now);
    if (!changed) {
        return changed.error();
    }
    object_ = std::move(*changed);
    json::Value& metadata = metadata_of(object_);
    const std::string name(metadata.string_at("name"));
    if (!name.empty() && name != name_.name) {
        return bad_request(fmt::format(
            "the name of the object ({}) does not match the name on the URL ({})", name, name_.name
        ));
    }
    metadata.set("name", name_.name);
    if (route_.type->is_namespaced) {
        const std::string ns(metadata.string_at("namespace"));
        if (!ns.empty() && ns != route_.ns) {
            return bad_request(
                "the namespace of the provided object does not match the namespace "
                "sent on the request"
            );
        }
        metadata.set("namespace", route_.ns);
    }
    const std::string version(metadata.string_at("resourceVersion"));
    const std::string live_version(live.find("metadata")->string_at("resourceVersion"));
    if (!version.empty() && version != live_version) {
        return conflict(*route_.type, name_.name);
    }
    const std::string uid(metadata.string_at("uid"));
    if (!uid.empty() && uid != live.find("metadata")->string_at("uid")) {
        return conflict(
            *route_.type,
            name_.name,
            fmt::format(
                "Precondition failed: UID in precondition: {}, UID in object meta: {}",
                uid,
                live.find("metadata")->string_at("uid")
            )
        );
    }
    keep_server_fields(live);
    if (auto stored = state_.to_stored(std::move(object_), *route_.type); stored) {
        object_ = std::move(*stored);
    } else {
        return stored.error();
    }
    return fill_in();
}

void WriteOperation::keep_server_fields(const json::Value& live) {
    const json::Value& old = *live.find("metadata");
    if (is_status()) {
        // The status alone may change; of an apply, what it owns of it too.
        json::Value status_only = live;
        if (const json::Value* status = object_.find("status")) {
            status_only.set("status", *status);
        } else {
            status_only.erase("status");
        }
        const json::Value* owners = object_.find("metadata")->find("managedFields");
        if (verb_ == Verb::Apply) {
            json::Value& metadata = metadata_of(status_only);
            if (owners != nullptr) {
                metadata.set("managedFields", *owners);
            } else {
                metadata.erase("managedFields");
            }
        }
        object_ = std::move(status_only);
        return;
    }
    json::Value& metadata = metadata_of(object_);
    for (const std::string_view field : kServerFields) {
        if (const json::Value* value = old.find(field)) {
            metadata.set(field, *value);
        } else {
            metadata.erase(field);
        }
    }
    if (verb_ != Verb::Apply) {
        if (const json::Value* owners = old.find("managedFields")) {
            metadata.set("managedFields", *owners);
        } else {
            metadata.erase("managedFields");
        }
    }
    if (route_.type->has_status) {
        if (const json::Value* status = live.find("status")) {
            object_.set("status", *status);
        } else {
            object_.erase("status");
        }
    }
}

Result<void> WriteOperation::fill_in() {
    apply_builtin_defaults(*stored_type_, object_);
    if (!stored_type_->is_custom || !stored_type_->schema) {
        return {};
    }
    apply_defaults(*stored_type_->schema, object_);
    const std::vector<std::string> unknown = prune(*stored_type_->schema, object_);
    const std::string_view validation = request_.parameter("fieldValidation");
    if (unknown.empty() || validation == "Ignore") {
        return {};
    }
    std::string all;
    for (const std::string& path : unknown) {
        const std::string text = fmt::format("unknown field \"{}\"", path);
        all += (all.empty() ? "" : ", ") + text;
        if (validation != "Strict") {
            warnings_.push_back(text);
        }
    }
    if (validation == "Strict") {
        return bad_request(fmt::format(
            "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
            route_.type->kind,
            route_.type->version,
            route_.type->kind,
            all
        ));
    }
    return {};
}

Result<void> WriteOperation::check() {
    // A webhook may have changed it.
    if (auto filled = fill_in(); !filled) {
        return filled;
    }
    std::vector<Cause> causes = validate_metadata(*stored_type_, object_);
    const json::Value before = live_ ? *live_ : json::Value();
    if (stored_type_->is_custom && stored_type_->schema) {
        const auto more = validate(*stored_type_->schema, object_);
        causes.insert(causes.end(), more.begin(), more.end());
        RuleVerdict verdict =
            check_custom_rules(*stored_type_, object_, live_ ? &*live_ : nullptr, causes);
        std::ranges::move(verdict.causes, std::back_inserter(causes));
        std::ranges::move(verdict.warnings, std::back_inserter(warnings_));
    } else {
        const auto more = validate_builtin(*stored_type_, object_, before);
        causes.insert(causes.end(), more.begin(), more.end());
    }
    if (!causes.empty()) {
        return invalid(*route_.type, name_.name, causes);
    }
    return check_definition(state_, *stored_type_, object_);
}

Result<void> WriteOperation::commit(Time now) {
    const Snapshot latest = state_.store.find(collection_, name_);
    if (latest != live_) {
        // Somebody else wrote while webhooks were asked.
        const bool may_repeat = verb_ == Verb::Patch || verb_ == Verb::Apply;
        if (!live_ && latest && verb_ == Verb::Create) {
            return already_exists(*route_.type, name_.name);
        }
        if (!may_repeat || ++attempts_ > kAttemptsMax) {
            return conflict(*route_.type, name_.name);
        }
        stage_ = Stage::Prepare;
        next_hook_ = 0;
        return {};
    }
    json::Value& metadata = metadata_of(object_);
    const bool generates = stored_type_->is_custom || stored_type_->generates;
    if (live_ && generates && differs_in_spec(*live_, object_, *stored_type_)) {
        const json::Value* generation = live_->find_path({"metadata", "generation"});
        metadata.set("generation", generation == nullptr ? 1 : generation->as_int() + 1);
    }
    if (verb_ != Verb::Apply) {
        const FieldManager manager{
            .name = request_.field_manager(),
            .subresource = std::string(subresource_of(route_)),
            .api_version = route_.type->api_version(),
            .is_custom = route_.type->is_custom,
            .has_status = route_.type->has_status
        };
        own_changes(live_ ? *live_ : json::Value(), object_, shape_of(*stored_type_), manager, now);
    }
    const int status = live_ ? 200 : 201;
    if (request_.is_dry_run()) {
        finish(object_, status);
        return {};
    }
    if (live_ && comparable(*live_) == comparable(object_)) {
        finish(*live_, status);  // nothing has changed
        return {};
    }
    const Snapshot stored = state_.store.put(collection_, name_, std::move(object_));
    finish(*stored, status);
    after_write(state_, *stored_type_, name_, now);
    return {};
}

void WriteOperation::finish(const json::Value& stored, int status) {
    end(make_response(State::to_version(stored, *route_.type), status));
}

}  // namespace sluice::apiserver
