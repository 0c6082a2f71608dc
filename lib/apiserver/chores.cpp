#include "apiserver/chores.hpp"

#include "apiserver/crd.hpp"
#include "apiserver/deletion.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"
#include "apiserver/writes.hpp"

#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool has_finalizer(const Value& object, std::string_view name) {
    const auto& list = items_of(object.find_path({"metadata", "finalizers"}));
    return std::ranges::find(list, Value(name)) != list.end();
}

void drop_from(Value& parent, std::string_view member, const std::function<bool(const Value&)>& is) {
    Value* list = parent.find(member);
    if (list == nullptr || !list->is_array()) {
        return;
    }
    std::erase_if(list->as_array(), is);
    if (list->as_array().empty()) {
        parent.erase(member);
    }
}

void drop_finalizer(Core& core, const ResourcePtr& resource, const StoredPtr& stored, std::string_view name) {
    Value object = read_stored(*resource, *stored);
    drop_from(metadata_of(object), "finalizers", [&](const Value& item) {
        return item == Value(name);
    });
    store_directly(core, resource, std::move(object));
}

void drop_owner(Core& core, const Place& place, const std::function<bool(const Value&)>& is_dropped) {
    const auto stored = core.store.find(place);
    const auto resource = core.registry.find_by_store_name(place.resource);
    if (stored == nullptr || resource == nullptr) {
        return;
    }
    Value object = read_stored(*resource, *stored);
    drop_from(metadata_of(object), "ownerReferences", is_dropped);
    store_directly(core, resource, std::move(object));
}

void delete_place(Core& core, const Place& place, std::string_view propagation) {
    const auto stored = core.store.find(place);
    const auto resource = core.registry.find_by_store_name(place.resource);
    if (stored == nullptr || resource == nullptr || stored->is_deleting) {
        return;
    }
    DeleteOptions options;
    options.propagation = propagation;
    // Nothing stands against it: there are no preconditions.
    static_cast<void>(delete_stored(core, resource, stored, options));
}

/// Whether the object's reference to that owner holds back the owner's deletion.
bool blocks(Core& core, const Place& place, std::string_view owner_uid) {
    const auto stored = core.store.find(place);
    const auto resource = core.registry.find_by_store_name(place.resource);
    if (stored == nullptr || resource == nullptr) {
        return false;
    }
    const Value object = read_stored(*resource, *stored);
    const auto& owners = items_of(object.find_path({"metadata", "ownerReferences"}));
    return std::ranges::any_of(owners, [&](const Value& owner) {
        return owner.string_at("uid") == owner_uid && is_true(owner, "blockOwnerDeletion");
    });
}

void collect_of_deleting(Core& core, const Place& owner, const std::string& uid) {
    const auto stored = core.store.find(owner);
    const auto resource = core.registry.find_by_store_name(owner.resource);
    if (stored == nullptr || resource == nullptr || !stored->is_deleting) {
        return;
    }
    const Value object = read_stored(*resource, *stored);
    const auto dependents = core.store.dependents(uid);
    if (has_finalizer(object, kOrphan)) {
        for (const auto& place : dependents) {
            drop_owner(core, place, [&](const Value& reference) {
                return reference.string_at("uid") == uid;
            });
        }
        drop_finalizer(core, resource, stored, kOrphan);
        return;
    }
    if (!has_finalizer(object, kForeground)) {
        return;
    }
    for (const auto& place : dependents) {
        const auto dependent = core.store.find(place);
        const bool has_own = dependent != nullptr && !core.store.dependents(dependent->uid).empty();
        delete_place(core, place, has_own ? "Foreground" : "Background");
    }
    const auto left = core.store.dependents(uid);
    const bool is_held = std::ranges::any_of(left, [&](const Place& place) {
        return blocks(core, place, uid);
    });
    if (!is_held) {
        const auto present = core.store.find(owner);
        if (present != nullptr) {
            drop_finalizer(core, resource, present, kForeground);
        }
    }
}

/// The owner is gone: its dependents follow it, unless they have another owner.
void collect_of_absent(Core& core, const std::string& uid) {
    for (const auto& place : core.store.dependents(uid)) {
        const auto stored = core.store.find(place);
        if (stored == nullptr) {
            continue;
        }
        const bool has_other = std::ranges::any_of(stored->owners, [&](const std::string& owner) {
            return core.store.find_uid(owner) != nullptr;
        });
        if (!has_other) {
            delete_place(core, place, "Background");
            continue;
        }
        drop_owner(core, place, [&](const Value& reference) {
            return core.store.find_uid(reference.string_at("uid")) == nullptr;
        });
    }
}

void collect_dependents(Core& core, const std::string& uid) {
    const Place* owner = core.store.find_uid(uid);
    if (owner == nullptr) {
        collect_of_absent(core, uid);
    } else {
        collect_of_deleting(core, Place(*owner), uid);
    }
}

void empty_namespace(Core& core, const std::string& name) {
    const auto found = core.store.find(Place{"namespaces", name});
    if (found == nullptr || !found->is_deleting) {
        return;
    }
    std::vector<Place> places;
    for (const auto& [key, resource] : core.registry.all()) {
        if (!resource->namespaced || !resource->has_verb("list")) {
            continue;
        }
        const auto collection = core.store.collection(resource->store_name());
        const auto prefix = name + "/";
        for (auto at = collection->objects().lower_bound(prefix);
             at != collection->objects().end() && at->first.starts_with(prefix);
             ++at) {
            places.push_back({resource->store_name(), at->first});
        }
    }
    for (const auto& place : places) {
        delete_place(core, place, "Background");
    }
    const bool is_empty = std::ranges::all_of(places, [&](const Place& place) {
        return core.store.find(place) == nullptr;
    });
    const auto present = core.store.find(Place{"namespaces", name});
    if (!is_empty || present == nullptr) {
        return;
    }
    const auto resource = core.registry.find_by_store_name("namespaces");
    Value object = read_stored(*resource, *present);
    object_at(object, "spec").erase("finalizers");
    store_directly(core, resource, std::move(object));
}

void empty_resource(Core& core, const std::string& store_name) {
    const auto collection = core.store.collection(store_name);
    std::vector<Place> places;
    for (const auto& [key, stored] : collection->objects()) {
        places.push_back({store_name, key});
    }
    for (const auto& place : places) {
        delete_place(core, place, "Background");
    }
    if (collection->objects().empty()) {
        finish_crd_deletion(core, store_name);
    }
}

void make_service_account(Core& core, const std::string& namespace_) {
    const auto resource = core.registry.find_by_store_name("serviceaccounts");
    const auto home = core.store.find(Place{"namespaces", namespace_});
    if (!core.options.makes_service_accounts || home == nullptr || home->is_deleting
        || core.store.find(Place{"serviceaccounts", namespace_ + "/default"}) != nullptr) {
        return;
    }
    Value account = read_body("ServiceAccount", "v1", "\"metadata\":{\"name\":\"default\"}}");
    Value& metadata = metadata_of(account);
    metadata.set("namespace", namespace_);
    metadata.set("uid", core.make_uid());
    metadata.set("creationTimestamp", core.timestamp());
    store_directly(core, resource, std::move(account));
}

}  // namespace

void add_chore(Core& core, Chore chore) {
    if (std::ranges::find(core.chores, chore) == core.chores.end()) {
        core.chores.push_back(std::move(chore));
    }
}

bool do_chore(Core& core) {
    if (core.chores.empty()) {
        return false;
    }
    const Chore chore = std::move(core.chores.front());
    core.chores.pop_front();
    switch (chore.kind) {
        case Chore::Kind::CollectDependents:
            collect_dependents(core, chore.subject);
            break;
        case Chore::Kind::EmptyNamespace:
            empty_namespace(core, chore.subject);
            break;
        case Chore::Kind::EstablishResource:
            establish_crd(core, chore.subject);
            break;
        case Chore::Kind::EmptyResource:
            empty_resource(core, chore.subject);
            break;
        case Chore::Kind::NewNamespace:
            make_service_account(core, chore.subject);
            break;
    }
    return true;
}

void after_write(Core& core, const Resource& resource, const StoredPtr& object, bool is_deleted) {
    const auto store_name = resource.store_name();
    if (store_name == "customresourcedefinitions.apiextensions.k8s.io") {
        crd_written(core, object, is_deleted);
    }
    if (store_name == "namespaces" && !is_deleted) {
        add_chore(
            core,
            {.kind = object->is_deleting ? Chore::Kind::EmptyNamespace : Chore::Kind::NewNamespace,
             .subject = object->name}
        );
    }
    if ((is_deleted || object->is_deleting) && !core.store.dependents(object->uid).empty()) {
        add_chore(core, {.kind = Chore::Kind::CollectDependents, .subject = object->uid});
    } else if (object->is_deleting && !is_deleted) {
        add_chore(core, {.kind = Chore::Kind::CollectDependents, .subject = object->uid});
    }
    for (const auto& owner : object->owners) {
        const Place* place = core.store.find_uid(owner);
        const auto found = place == nullptr ? nullptr : core.store.find(*place);
        const bool is_orphaned = place == nullptr && !is_deleted;
        const bool is_awaited = is_deleted && found != nullptr && found->is_deleting;
        if (is_orphaned || is_awaited) {
            add_chore(core, {.kind = Chore::Kind::CollectDependents, .subject = owner});
        }
    }
    if (!is_deleted) {
        return;
    }
    const auto home = object->namespace_.empty()
                          ? nullptr
                          : core.store.find(Place{"namespaces", object->namespace_});
    if (home != nullptr && home->is_deleting) {
        add_chore(core, {.kind = Chore::Kind::EmptyNamespace, .subject = home->name});
    }
    if (resource.is_terminating) {
        add_chore(core, {.kind = Chore::Kind::EmptyResource, .subject = store_name});
    }
}

}  // namespace sluice::apiserver
