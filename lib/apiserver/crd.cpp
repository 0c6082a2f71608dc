#include "apiserver/crd.hpp"

#include "apiserver/chores.hpp"
#include "apiserver/crd_resource.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/schema_functions.hpp"
#include "apiserver/values.hpp"
#include "apiserver/writes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kCrds = "customresourcedefinitions.apiextensions.k8s.io";

StoredPtr find_crd(const Core& core, const std::string& name) {
    return core.store.find(Place{std::string(kCrds), name});
}

Value read_crd(const Core& core, const Stored& stored) {
    return read_stored(*core.registry.find_by_store_name(kCrds), stored);
}

/// Why the names of a resource cannot be had: a reason and a message.
struct NameConflict {
    std::string reason;
    std::vector<std::string> messages;
};

void compare_names(const Resource& wanted, const Resource& other, NameConflict& conflict) {
    const auto note = [&](std::string_view reason, const std::string& name) {
        if (conflict.reason.empty()) {
            conflict.reason = reason;
        }
        conflict.messages.push_back(fmt::format("\"{}\" is already in use", name));
    };
    std::vector<std::string> taken = other.short_names;
    taken.push_back(other.plural);
    taken.push_back(other.singular);
    const auto is_taken = [&](const std::string& name) {
        return std::ranges::find(taken, name) != taken.end();
    };
    if (is_taken(wanted.plural)) {
        note("PluralConflict", wanted.plural);
    }
    if (is_taken(wanted.singular)) {
        note("SingularConflict", wanted.singular);
    }
    for (const auto& name : wanted.short_names) {
        if (is_taken(name)) {
            note("ShortNamesConflict", name);
        }
    }
    if (wanted.kind == other.kind || wanted.kind == other.list_kind) {
        note("KindConflict", wanted.kind);
    }
    if (wanted.list_kind == other.kind || wanted.list_kind == other.list_kind) {
        note("ListKindConflict", wanted.list_kind);
    }
}

NameConflict find_conflict(const Core& core, const Resource& wanted) {
    NameConflict conflict;
    for (const auto& [key, other] : core.registry.all()) {
        if (other->group == wanted.group && other->plural != wanted.plural) {
            compare_names(wanted, *other, conflict);
        }
    }
    return conflict;
}

/// Sets a condition; its time stays where its status does.
void set_condition(
    const Core& core,
    Value& status,
    std::string_view type,
    bool is_true,
    std::string_view reason,
    std::string_view message
) {
    Value* list = status.find("conditions");
    if (list == nullptr || !list->is_array()) {
        list = &status.set("conditions", Array{});
    }
    auto& conditions = list->as_array();
    const auto at = std::ranges::find_if(conditions, [&](const Value& condition) {
        return condition.string_at("type") == type;
    });
    const std::string_view wanted = is_true ? "True" : "False";
    const bool is_same = at != conditions.end() && at->string_at("status") == wanted;
    Value condition{Object{}};
    condition.set("type", type);
    condition.set("status", wanted);
    condition.set(
        "lastTransitionTime",
        is_same ? std::string(at->string_at("lastTransitionTime")) : core.timestamp()
    );
    condition.set("reason", reason);
    condition.set("message", message);
    if (at == conditions.end()) {
        conditions.push_back(std::move(condition));
    } else {
        *at = std::move(condition);
    }
}

void add_stored_version(Value& status, const std::string& version) {
    Value* list = status.find("storedVersions");
    if (list == nullptr || !list->is_array()) {
        list = &status.set("storedVersions", Array{});
    }
    auto& versions = list->as_array();
    if (std::ranges::find(versions, Value(version)) == versions.end()) {
        versions.emplace_back(version);
    }
}

/// What is stored reads as if the present schema's defaults had always been filled in.
void redo_defaults(Core& core, const Resource& resource) {
    const auto* version = resource.version(resource.storage_version);
    if (version == nullptr || version->schema == nullptr) {
        return;
    }
    const auto store_name = resource.store_name();
    const auto objects = core.store.collection(store_name)->objects();
    for (const auto& [key, stored] : objects) {
        Value object = read_stored(resource, *stored);
        prune(*version->schema, object);
        apply_defaults(*version->schema, object);
        if (print_body(object) != stored->body) {
            core.store.rewrite(store_name, make_stored(resource, stored->version, object));
        }
    }
}

void serve(Core& core, const std::string& name, const Value& crd, bool is_terminating) {
    auto resource = make_crd_resource(crd, core.registry.find_by_store_name(name));
    if (!resource) {
        return;
    }
    const auto made = std::make_shared<Resource>(std::move(*resource));
    made->is_terminating = is_terminating;
    core.registry.add(made);
    redo_defaults(core, *made);
}

}  // namespace

void crd_written(Core& core, const StoredPtr& object, bool is_deleted) {
    if (is_deleted) {
        const auto resource = core.registry.find_by_store_name(object->name);
        if (resource != nullptr && resource->is_custom) {
            core.registry.remove(resource->group, resource->plural);
            core.store.close(object->name);
        }
        return;
    }
    if (!object->is_deleting) {
        add_chore(core, {.kind = Chore::Kind::EstablishResource, .subject = object->name});
        return;
    }
    const auto resource = core.registry.find_by_store_name(object->name);
    if (resource != nullptr && !resource->is_terminating) {
        serve(core, object->name, read_crd(core, *object), true);
    }
    add_chore(core, {.kind = Chore::Kind::EmptyResource, .subject = object->name});
}

void establish_crd(Core& core, const std::string& name) {
    const auto stored = find_crd(core, name);
    if (stored == nullptr || stored->is_deleting) {
        return;
    }
    const Value before = read_crd(core, *stored);
    Value crd = before;
    const auto resource = make_crd_resource(crd, nullptr);
    if (!resource) {
        return;
    }
    const auto conflict = find_conflict(core, *resource);
    const bool is_accepted = conflict.messages.empty();
    Value& status = object_at(crd, "status");
    if (is_accepted) {
        status.set("acceptedNames", *crd.find_path({"spec", "names"}));
        set_condition(core, status, "NamesAccepted", true, "NoConflicts", "no conflicts found");
        set_condition(
            core,
            status,
            "Established",
            true,
            "InitialNamesAccepted",
            "the initial names have been accepted"
        );
    } else {
        set_condition(
            core,
            status,
            "NamesAccepted",
            false,
            conflict.reason,
            fmt::format("{}", fmt::join(conflict.messages, ", "))
        );
        if (core.registry.find_by_store_name(name) == nullptr) {
            set_condition(
                core, status, "Established", false, "NotAccepted", "not all names are accepted"
            );
        }
    }
    add_stored_version(status, resource->storage_version);
    if (is_accepted) {
        serve(core, name, crd, false);
    }
    if (!(crd == before)) {
        store_directly(core, core.registry.find_by_store_name(kCrds), std::move(crd));
    }
}

void finish_crd_deletion(Core& core, const std::string& name) {
    const auto stored = find_crd(core, name);
    if (stored == nullptr || !stored->is_deleting) {
        return;
    }
    Value crd = read_crd(core, *stored);
    Value& metadata = metadata_of(crd);
    if (Value* list = metadata.find("finalizers"); list != nullptr && list->is_array()) {
        std::erase(list->as_array(), Value(kResourceCleanup));
        if (list->as_array().empty()) {
            metadata.erase("finalizers");
        }
    }
    store_directly(core, core.registry.find_by_store_name(kCrds), std::move(crd));
}

}  // namespace sluice::apiserver
