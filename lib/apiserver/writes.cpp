#include "apiserver/writes.hpp"

#include "apiserver/admission.hpp"
#include "apiserver/builtin_defaults.hpp"
#include "apiserver/conversion.hpp"
#include "apiserver/crd.hpp"
#include "apiserver/managed_fields.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/validation.hpp"
#include "apiserver/values.hpp"
#include "apiserver/write_context.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr int kAttemptsMax = 5;

/// What a client cannot set of a new object.
void clear_system_fields(Value& metadata) {
    for (const auto* name :
         {"uid",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "resourceVersion",
          "selfLink",
          "generation"}) {
        metadata.erase(name);
    }
}

/// The name of a new object that has only the beginning of one.
void generate_name(Core& core, Value& metadata) {
    const std::string base(metadata.string_at("generateName"));
    if (!metadata.string_at("name").empty() || base.empty()) {
        return;
    }
    static constexpr std::size_t kBaseBytesMax = 58;
    metadata.set("name", base.substr(0, kBaseBytesMax) + core.make_name_suffix());
}

void prepare_new(const Scope& scope, Value& object) {
    if (!scope.resource->is_custom) {
        prepare_for_create(scope.resource->group, scope.resource->kind, object);
        return;
    }
    if (scope.version->subresource("status") != nullptr) {
        object.erase("status");
    }
    metadata_of(object).set("generation", 1);
}

/// Metadata in the order in which it is printed.
void order_metadata(Value& object) {
    static constexpr std::string_view kOrder[] = {
        "name",
        "generateName",
        "namespace",
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
        "managedFields",
    };
    Object ordered;
    auto& metadata = metadata_of(object).as_object();
    for (const auto name : kOrder) {
        for (auto& member : metadata) {
            if (member.first == name) {
                ordered.push_back(std::move(member));
                break;
            }
        }
    }
    metadata = std::move(ordered);
    auto& members = object.as_object();
    const auto at = std::ranges::find(members, "metadata", &json::Member::first);
    const auto first = std::ranges::find_if(members, [](const json::Member& member) {
        return member.first != "kind" && member.first != "apiVersion";
    });
    if (first < at) {
        std::rotate(first, at, at + 1);
    }
}

Error too_new(const Scope& scope, std::string_view name) {
    return already_exists(scope.group_resource(), name);
}

/// Converts to the storage version and stores; what was stored, as a tree of that version.
Flow<Result<Value>> store_object(Core* core, Scope* scope, Value object, StoredPtr expected) {
    const auto resource = scope->resource;
    auto stored_form =
        co_await convert_object(core, resource, std::move(object), resource->storage_version);
    if (!stored_form) {
        co_return stored_form.error();
    }
    const auto namespace_ = meta_string(*stored_form, "namespace");
    const auto name = meta_string(*stored_form, "name");
    const auto present = scope->collection(*core)->find(namespace_, name);
    if (present != expected) {
        co_return expected == nullptr ? too_new(*scope, name)
                                      : stale_object(scope->group_resource(), name);
    }
    if (scope->is_dry_run) {
        co_return std::move(*stored_form);
    }
    metadata_of(*stored_form).set("resourceVersion", std::to_string(core->store.take_version()));
    order_metadata(*stored_form);
    auto stored = make_stored(*resource, resource->storage_version, *stored_form);
    core->store.put(resource->store_name(), stored);
    after_write(*core, *resource, stored, false);
    co_return std::move(*stored_form);
}

bool has_finalizers(const Value& object) {
    const Value* metadata = object.find("metadata");
    if (metadata != nullptr && !items_of(metadata->find("finalizers")).empty()) {
        return true;
    }
    // A namespace has them in its spec too.
    const Value* spec = object.find("spec");
    return object.string_at("kind") == "Namespace" && object.string_at("apiVersion") == "v1"
           && spec != nullptr && !items_of(spec->find("finalizers")).empty();
}

/// Whether nothing keeps an object any more that is to be deleted.
bool is_finished(const Value& object) {
    if (meta_string(object, "deletionTimestamp").empty() || has_finalizers(object)) {
        return false;
    }
    const Value* metadata = object.find("metadata");
    return int_at(*metadata, "deletionGracePeriodSeconds", 0) == 0;
}

/// Removes an object whose last finalizer went in an update.
void remove_finished(Core& core, const Resource& resource, Value object) {
    metadata_of(object).set("resourceVersion", std::to_string(core.store.take_version()));
    order_metadata(object);
    auto last = make_stored(resource, resource.storage_version, object);
    core.store.remove(resource.store_name(), last);
    after_write(core, resource, last, true);
}

Flow<Result<Written>> finish(Core* core, Scope* scope, Value stored_form, bool is_created) {
    auto shown = co_await convert_object(
        core, scope->resource, std::move(stored_form), scope->version->name
    );
    if (!shown) {
        co_return shown.error();
    }
    co_return Written{std::move(*shown), is_created};
}

/// What of its metadata an object keeps in every update.
void keep_system_fields(const Value& old_object, Value& object) {
    const Value& old_metadata = *old_object.find("metadata");
    Value& metadata = metadata_of(object);
    for (const auto* name :
         {"uid",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "generation",
          "generateName",
          "name",
          "namespace",
          "resourceVersion"}) {
        if (const Value* kept = old_metadata.find(name); kept != nullptr) {
            metadata.set(name, *kept);
        } else {
            metadata.erase(name);
        }
    }
}

bool is_spec_changed(const Value& a, const Value& b, bool has_status) {
    const auto counts = [&](const std::string& name) {
        return name != "metadata" && name != "apiVersion" && name != "kind"
               && !(has_status && name == "status");
    };
    const auto differs = [&](const Value& one, const Value& other) {
        for (const auto& [name, value] : one.as_object()) {
            const Value* same = other.find(name);
            if (counts(name) && (same == nullptr || !(*same == value))) {
                return true;
            }
        }
        return false;
    };
    return differs(a, b) || differs(b, a);
}

/// What the registry of custom resources keeps of the old object, and the generation.
void prepare_custom_update(const Scope& scope, const Value& old_object, Value& object) {
    const bool has_status = scope.version->subresource("status") != nullptr;
    if (scope.subresource_name() == "status") {
        Value kept = old_object;
        const Value* status = object.find("status");
        if (status == nullptr) {
            kept.erase("status");
        } else {
            kept.set("status", *status);
        }
        if (const Value* fields = object.find_path({"metadata", "managedFields"})) {
            metadata_of(kept).set("managedFields", *fields);
        }
        object = std::move(kept);
        return;
    }
    if (has_status) {
        if (const Value* status = old_object.find("status"); status != nullptr) {
            object.set("status", *status);
        } else {
            object.erase("status");
        }
    }
    if (is_spec_changed(old_object, object, has_status)) {
        const auto generation = int_at(*old_object.find("metadata"), "generation", 0);
        metadata_of(object).set("generation", generation + 1);
    }
}

void prepare_updated(const Scope& scope, const Value& old_object, Value& object) {
    if (scope.resource->is_custom) {
        prepare_custom_update(scope, old_object, object);
        return;
    }
    prepare_for_update(
        scope.resource->group,
        scope.resource->kind,
        scope.subresource_name(),
        old_object,
        object
    );
}

/// Checks what the new form says of uid and resourceVersion of the present one.
Result<void> check_preconditions(const Scope& scope, const Value& present, const Value& object) {
    const auto name = meta_string(present, "name");
    const auto uid = meta_string(object, "uid");
    const auto present_uid = meta_string(present, "uid");
    if (!uid.empty() && uid != present_uid) {
        return conflict(
            scope.group_resource(),
            name,
            fmt::format(
                "StorageError: invalid object, Code: 4, Key: /registry/{}/{}, ResourceVersion: 0, "
                "AdditionalErrorMsg: Precondition failed: UID in precondition: {}, UID in object "
                "meta: {}",
                scope.resource->plural,
                Stored::make_key(scope.namespace_, name),
                uid,
                present_uid
            )
        );
    }
    const auto version = meta_string(object, "resourceVersion");
    if (version.empty() || version == "0") {
        return {};
    }
    if (version.find_first_not_of("0123456789") != std::string_view::npos) {
        return make_status_error(
            500, "", fmt::format("strconv.ParseUint: parsing \"{}\": invalid syntax", version)
        );
    }
    if (version != meta_string(present, "resourceVersion")) {
        return stale_object(scope.group_resource(), name);
    }
    return {};
}

/// Custom resources cannot be replaced without saying which state is meant.
bool lacks_version(const Scope& scope, const Value& object) {
    return scope.resource->is_custom && scope.request.method == "PUT"
           && meta_string(object, "resourceVersion").empty();
}

/// One attempt of an update. `present` is what it starts from.
Flow<Result<Written>> try_update(
    Core* core, Scope* scope, const Change* change, UpdateOptions options, StoredPtr present
) {
    auto old_object =
        co_await load_object(core, scope->resource, present, scope->version->name);
    if (!old_object) {
        co_return old_object.error();
    }
    auto changed = (*change)(&*old_object);
    if (!changed) {
        co_return changed.error();
    }
    Value object = std::move(*changed);
    if (lacks_version(*scope, object)) {
        co_return invalid_object(
            scope->group_kind(),
            scope->name,
            {invalid_value("metadata.resourceVersion", Value(0), "must be specified for an update")}
        );
    }
    if (const auto kept = check_preconditions(*scope, *old_object, object); !kept) {
        co_return kept.error();
    }
    keep_system_fields(*old_object, object);
    const auto schema = schema_of(*scope->resource, *scope->version);
    if (!options.owns_managed_fields && schema != nullptr) {
        const WriteContextSource source(*core, *scope);
        update_managed_fields(&*old_object, object, *schema, source.context());
    }
    AdmissionRequest admission{
        .scope = scope, .operation = "UPDATE", .object = &object, .old_object = &*old_object
    };
    if (const auto admitted = co_await admit_mutating(core, admission); !admitted) {
        co_return admitted.error();
    }
    prepare_updated(*scope, *old_object, object);
    if (auto causes = find_faults(*core, *scope, object, &*old_object); !causes.empty()) {
        co_return invalid_object(scope->group_kind(), scope->name, causes);
    }
    if (const auto admitted = co_await admit_validating(core, admission); !admitted) {
        co_return admitted.error();
    }
    keep_times(*old_object, object);
    order_metadata(object);
    if (object == *old_object) {
        co_return Written{std::move(*old_object), false};
    }
    if (is_finished(object) && !scope->is_dry_run) {
        auto last = co_await convert_object(
            core, scope->resource, object, scope->resource->storage_version
        );
        if (!last) {
            co_return last.error();
        }
        if (scope->collection(*core)->find(scope->namespace_, scope->name) != present) {
            co_return stale_object(scope->group_resource(), scope->name);
        }
        remove_finished(*core, *scope->resource, std::move(*last));
        co_return Written{std::move(object), false};
    }
    auto stored_form = co_await store_object(core, scope, std::move(object), present);
    if (!stored_form) {
        co_return stored_form.error();
    }
    co_return co_await finish(core, scope, std::move(*stored_form), false);
}

}  // namespace

Flow<Result<Written>> create_object(Core* core, Scope* scope, Value object) {
    if (!meta_string(object, "resourceVersion").empty()) {
        co_return make_status_error(
            500, "", "resourceVersion should not be set on objects to be created"
        );
    }
    clear_system_fields(metadata_of(object));
    const std::string given(meta_string(object, "name"));
    scope->name = given;
    if (const auto admitted = admit_namespace(*core, *scope); !admitted) {
        co_return admitted.error();
    }
    const auto schema = schema_of(*scope->resource, *scope->version);
    if (schema != nullptr) {
        const WriteContextSource source(*core, *scope);
        if (object.find_path({"metadata", "managedFields"}) == nullptr
            || scope->request.method != "PATCH") {
            update_managed_fields(nullptr, object, *schema, source.context());
        }
    }
    AdmissionRequest admission{.scope = scope, .operation = "CREATE", .object = &object};
    if (const auto admitted = co_await admit_mutating(core, admission); !admitted) {
        co_return admitted.error();
    }
    generate_name(*core, metadata_of(object));
    const std::string name(meta_string(object, "name"));
    metadata_of(object).set("uid", core->make_uid());
    metadata_of(object).set("creationTimestamp", core->timestamp());
    prepare_new(*scope, object);
    if (const auto causes = find_faults(*core, *scope, object); !causes.empty()) {
        co_return invalid_object(scope->group_kind(), name, causes);
    }
    if (const auto admitted = co_await admit_validating(core, admission); !admitted) {
        co_return admitted.error();
    }
    scope->name = name;
    if (scope->resource->is_terminating) {
        co_return method_not_allowed();
    }
    auto stored_form = co_await store_object(core, scope, std::move(object), nullptr);
    if (!stored_form) {
        co_return stored_form.error();
    }
    co_return co_await finish(core, scope, std::move(*stored_form), true);
}

Flow<Result<Written>> update_object(
    Core* core, Scope* scope, Change change, UpdateOptions options
) {
    for (int attempt = 1;; ++attempt) {
        auto present = scope->collection(*core)->find(scope->namespace_, scope->name);
        if (present == nullptr) {
            if (!options.may_create) {
                co_return object_not_found(scope->group_resource(), scope->name);
            }
            auto made = change(nullptr);
            if (!made) {
                co_return made.error();
            }
            co_return co_await create_object(core, scope, std::move(*made));
        }
        auto written = co_await try_update(core, scope, &change, options, present);
        const bool is_overtaken =
            !written && written.error().code == ErrorCode::Conflict
            && scope->collection(*core)->find(scope->namespace_, scope->name) != present;
        if (!is_overtaken || attempt == kAttemptsMax) {
            co_return written;
        }
    }
}

void store_directly(Core& core, const ResourcePtr& resource, Value object) {
    if (is_finished(object)) {
        remove_finished(core, *resource, std::move(object));
        return;
    }
    metadata_of(object).set("resourceVersion", std::to_string(core.store.take_version()));
    order_metadata(object);
    auto stored = make_stored(*resource, resource->storage_version, object);
    core.store.put(resource->store_name(), stored);
    after_write(core, *resource, stored, false);
}

}  // namespace sluice::apiserver
