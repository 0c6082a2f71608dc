#include "api/micro_time.hpp"
#include "base/assert.hpp"
#include "support/fake_client.hpp"
#include "support/fake_objects.hpp"

#include <fmt/core.h>

namespace sluice::test {

using json::Value;
using kube::NamespacedName;
using kube::ResourcePath;

/// What a test's own objects, or a write, want stored.
struct FakeClient::Edit {
    Value object;
    Ownership owners;
    bool is_status = false;
    bool dry_run = false;
    bool is_test_made = false;  ///< uid and creationTimestamp of a new object are as given
};

Result<std::string> FakeClient::do_list(const ResourcePath& path, const kube::ListOptions& options)
    const {
    // The continue token is the last key of the page before.
    std::string items;
    std::int64_t count = 0;
    std::string token;
    const auto found = collections_.find({path.group, path.plural});
    if (found != collections_.end()) {
        for (const auto& [key, stored] : found->second.objects) {
            const bool seen = !options.continue_token.empty() &&
                              key <= kube::parse_namespaced_name(options.continue_token);
            const bool elsewhere = !path.namespace_.empty() && key.namespace_ != path.namespace_;
            if (seen || elsewhere || !matches(stored.object, options.label_selector) ||
                !matches_fields(stored.object, options.field_selector)) {
                continue;
            }
            if (options.limit > 0 && count == options.limit) {
                break;
            }
            items += (count == 0 ? "" : ",") + json::print(stored.object);
            token = kube::to_string(key);
            ++count;
        }
    }
    const bool more = options.limit > 0 && count == options.limit;
    return fmt::format(
        R"({{"kind":"List","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
        version_,
        more ? token : "",
        items
    );
}

Result<std::string> FakeClient::do_create(
    const ResourcePath& path, Value object, const kube::WriteOptions& options
) {
    auto& metadata = metadata_of(object);
    if (metadata.string_at("name").empty() && !metadata.string_at("generateName").empty()) {
        metadata.set("name", fmt::format("{}{:05}", metadata.string_at("generateName"), ++uids_));
    }
    auto target = path;
    target.name = std::string(metadata.string_at("name"));
    if (target.name.empty()) {
        return make_status(422, "Invalid", "metadata.name: Required value");
    }
    if (find_value(target) != nullptr) {
        return make_status(409, "AlreadyExists", kube::describe(target) + " already exists");
    }
    object.erase("status");
    Edit edit{std::move(object), {}, false, options.dry_run};
    take_ownership(
        Value(json::Object{}), edit.object, edit.owners, options.field_manager + "|Update|"
    );
    return store(target, std::move(edit));
}

Result<std::string> FakeClient::do_update(
    const ResourcePath& path, Value object, const kube::WriteOptions& options
) {
    const auto* live = find_value(path);
    if (live == nullptr) {
        return make_not_found(path);
    }
    const auto asked = metadata_text(object, "resourceVersion");
    if (!asked.empty() && asked != metadata_text(*live, "resourceVersion")) {
        return make_status(
            409, "Conflict", kube::describe(path) + ": the object has been modified"
        );
    }
    Edit edit{
        *live,
        collections_[{path.group, path.plural}].objects[{path.namespace_, path.name}].owners,
        path.subresource == "status",
        options.dry_run
    };
    if (edit.is_status) {
        const auto* new_status = object.find("status");
        edit.object.set("status", new_status == nullptr ? Value(json::Object{}) : *new_status);
    } else {
        const auto* old_status = live->find("status");
        auto kept = old_status == nullptr ? Value() : *old_status;
        edit.object = std::move(object);
        edit.object.erase("status");
        if (!kept.is_null()) {
            edit.object.set("status", std::move(kept));
        }
    }
    take_ownership(
        *live, edit.object, edit.owners, options.field_manager + "|Update|" + path.subresource
    );
    return store(path, std::move(edit));
}

Result<std::string> FakeClient::do_apply(
    const ResourcePath& path, const Value& config, const kube::ApplyOptions& options
) {
    const auto* live = find_value(path);
    if (live == nullptr && !path.subresource.empty()) {
        return make_not_found(path);
    }
    const auto asked = metadata_text(config, "resourceVersion");
    const auto asked_uid = metadata_text(config, "uid");
    if (live == nullptr && (!asked.empty() || !asked_uid.empty())) {
        return make_status(409, "Conflict", kube::describe(path) + ": the object is gone");
    }
    if (live != nullptr && ((!asked.empty() && asked != metadata_text(*live, "resourceVersion")) ||
                            (!asked_uid.empty() && asked_uid != metadata_text(*live, "uid")))) {
        return make_status(
            409, "Conflict", kube::describe(path) + ": the object has been modified"
        );
    }
    Edit edit{Value(json::Object{}), {}, path.subresource == "status", options.dry_run};
    if (live != nullptr) {
        edit.object = *live;
        edit.owners =
            collections_[{path.group, path.plural}].objects[{path.namespace_, path.name}].owners;
    } else {
        edit.object.set("apiVersion", config.string_at("apiVersion"));
        edit.object.set("kind", config.string_at("kind"));
    }
    auto part = config;
    if (edit.is_status) {
        const auto* applied = config.find("status");
        part = Value(json::Object{});
        part.set("status", applied == nullptr ? Value(json::Object{}) : *applied);
    } else {
        part.erase("status");
    }
    const auto self = options.field_manager + "|Apply|" + path.subresource;
    if (!options.force) {
        const auto conflicts = find_conflicts(edit.object, part, edit.owners, self);
        if (!conflicts.empty()) {
            const auto& first = conflicts.front();
            return make_status(
                409,
                "Conflict",
                fmt::format(
                    "Apply failed with {} conflict: conflict with \"{}\": {}",
                    conflicts.size(),
                    first.owner,
                    first.field
                )
            );
        }
    }
    apply_config(edit.object, part, edit.owners, self);
    return store(path, std::move(edit));
}

Result<std::string> FakeClient::do_remove(
    const ResourcePath& path, const kube::DeleteOptions& options
) {
    const auto* live = find_value(path);
    if (live == nullptr) {
        return make_not_found(path);
    }
    if ((!options.uid.empty() && options.uid != metadata_text(*live, "uid")) ||
        (!options.resource_version.empty() &&
         options.resource_version != metadata_text(*live, "resourceVersion"))) {
        return make_status(409, "Conflict", kube::describe(path) + ": precondition failed");
    }
    const auto text = json::print(*live);
    erase(path);
    return text;
}

/// The server's own fields are not the writer's to change.
void FakeClient::keep_server_fields(const Value* live, Edit& edit) {
    auto& metadata = metadata_of(edit.object);
    for (const auto* field : {"uid", "creationTimestamp"}) {
        const auto* kept = live == nullptr ? nullptr : live->find_path({"metadata", field});
        if (kept != nullptr) {
            metadata.set(field, *kept);
        } else if (!edit.is_test_made) {
            metadata.erase(field);
        }
    }
    for (const auto* field : {"deletionTimestamp", "generation", "resourceVersion"}) {
        const auto* kept = live == nullptr ? nullptr : live->find_path({"metadata", field});
        if (kept != nullptr) {
            metadata.set(field, *kept);
        } else {
            metadata.erase(field);
        }
    }
}

Result<std::string> FakeClient::store(const ResourcePath& path, Edit edit) {
    const CollectionKey collection{path.group, path.plural};
    const NamespacedName key{path.namespace_, path.name};
    const auto* live = find_value(path);
    auto& metadata = metadata_of(edit.object);
    metadata.set("name", path.name);
    if (!path.namespace_.empty()) {
        metadata.set("namespace", path.namespace_);
    }
    keep_server_fields(live, edit);
    const auto hook = hooks_.find(path.plural);
    if (hook != hooks_.end()) {
        const auto allowed = hook->second(live, edit.object);
        if (!allowed) {
            return allowed.error();
        }
    }
    if (live != nullptr && *live == edit.object) {
        collections_[collection].objects[key].owners = std::move(edit.owners);
        return json::print(*live);
    }
    if (live == nullptr) {
        auto& made = metadata_of(edit.object);
        if (made.string_at("uid").empty()) {
            made.set("uid", fmt::format("00000000-0000-4000-8000-{:012}", ++uids_));
        }
        if (made.string_at("creationTimestamp").empty()) {
            made.set("creationTimestamp", api::to_string(clock_.now()));
        }
        made.set("generation", 1);
    } else if (!same_but(*live, edit.object, {"metadata", "status"})) {
        const auto* generation = live->find_path({"metadata", "generation"});
        metadata_of(edit.object)
            .set("generation", generation == nullptr ? 1 : generation->as_int() + 1);
    }
    if (edit.dry_run) {
        return json::print(edit.object);
    }
    metadata_of(edit.object).set("resourceVersion", next_version());
    const auto text = json::print(edit.object);
    const bool ends = is_being_deleted(edit.object) && !has_finalizers(edit.object);
    PastEvent event{version_, collection, live == nullptr ? Value() : *live, edit.object, {}};
    collections_[collection].objects[key] = Stored{std::move(edit.object), std::move(edit.owners)};
    if (ends) {
        forget(collection, key);
    } else {
        announce(std::move(event));
    }
    return text;
}

void FakeClient::put(const ResourcePath& collection, Value object) {
    auto path = collection;
    path.name = metadata_text(object, "name");
    const auto stored = store(path, Edit{std::move(object), {}, false, false, true});
    SLUICE_ASSERT(stored.has_value());
}

const Value* FakeClient::find_value(const ResourcePath& path) const {
    const auto collection = collections_.find({path.group, path.plural});
    if (collection == collections_.end()) {
        return nullptr;
    }
    const auto found = collection->second.objects.find({path.namespace_, path.name});
    return found == collection->second.objects.end() ? nullptr : &found->second.object;
}

std::vector<const Value*> FakeClient::all_values(const ResourcePath& path) const {
    std::vector<const Value*> out;
    const auto collection = collections_.find({path.group, path.plural});
    if (collection != collections_.end()) {
        for (const auto& [key, stored] : collection->second.objects) {
            out.push_back(&stored.object);
        }
    }
    return out;
}

void FakeClient::erase(const ResourcePath& path) {
    const auto* live = find_value(path);
    if (live == nullptr) {
        return;
    }
    const CollectionKey collection{path.group, path.plural};
    const NamespacedName key{path.namespace_, path.name};
    if (has_finalizers(*live)) {
        mark_deleted(collection, key);
    } else {
        forget(collection, key);
    }
}

void FakeClient::mark_deleted(const CollectionKey& collection, const NamespacedName& key) {
    auto& object = collections_[collection].objects[key].object;
    if (is_being_deleted(object)) {
        return;
    }
    PastEvent event{0, collection, object, {}, {}};
    const auto* generation = object.find_path({"metadata", "generation"});
    metadata_of(object).set("generation", generation == nullptr ? 1 : generation->as_int() + 1);
    metadata_of(object).set("deletionTimestamp", api::to_string(clock_.now()));
    metadata_of(object).set("resourceVersion", next_version());
    event.version = version_;
    event.after = object;
    announce(std::move(event));
}

void FakeClient::forget(const CollectionKey& collection, const NamespacedName& key) {
    auto node = collections_[collection].objects.extract(key);
    PastEvent event{0, collection, node.mapped().object, {}, node.mapped().object};
    metadata_of(event.last).set("resourceVersion", next_version());
    event.version = version_;
    const auto uid = metadata_text(event.last, "uid");
    announce(std::move(event));
    collect_dependents(uid);
}

void FakeClient::collect_dependents(const std::string& uid) {
    std::vector<std::pair<CollectionKey, NamespacedName>> dependents;
    for (const auto& [collection, content] : collections_) {
        for (const auto& [key, stored] : content.objects) {
            const auto* owners = stored.object.find_path({"metadata", "ownerReferences"});
            if (owners == nullptr || !owners->is_array()) {
                continue;
            }
            for (const auto& owner : owners->as_array()) {
                if (owner.string_at("uid") == uid) {
                    dependents.emplace_back(collection, key);
                }
            }
        }
    }
    for (const auto& [collection, key] : dependents) {
        erase(ResourcePath{collection.first, {}, collection.second, key.namespace_, key.name, {}});
    }
}

}  // namespace sluice::test
