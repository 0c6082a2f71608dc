#include "apiserver/garbage_collection.hpp"

#include "apiserver/custom_types.hpp"
#include "apiserver/definition_status.hpp"
#include "apiserver/deletion_mark.hpp"
#include "apiserver/namespace_content.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

void collect_dependents(State& state, const std::string& uid, Time now);
void settle_foreground(
    State& state, const Collection& collection, const ObjectName& name, Time now
);

/// It is gone: so are those that it owned.
void remove(State& state, const Collection& collection, const ObjectName& name, Time now) {
    const Snapshot last = state.store.find(collection, name);
    if (!last) {
        return;
    }
    const std::string uid(last->find("metadata")->string_at("uid"));
    std::vector<std::string> owners;
    if (const json::Value* list = last->find_path({"metadata", "ownerReferences"});
        list != nullptr && list->is_array()) {
        for (const json::Value& owner : list->as_array()) {
            owners.emplace_back(owner.string_at("uid"));
        }
    }
    state.store.remove(collection, name);
    if (collection == definition_collection) {
        follow_definition(state, *last, true);
    }
    collect_dependents(state, uid, now);
    for (const std::string& owner : owners) {
        if (const State::Key* found = state.find_by_uid(owner)) {
            const auto [each, key] = *found;
            settle_foreground(state, each, key, now);
        }
    }
    if (!name.ns.empty()) {
        const Snapshot ns = state.store.find(namespace_collection, {"", name.ns});
        if (ns && is_being_deleted(*ns)) {
            settle_foreground(state, namespace_collection, {"", name.ns}, now);
        }
    }
}

/// What a namespace or a definition has in it goes before it does.
bool has_contents(State& state, const Collection& collection, const json::Value& object, Time now) {
    std::vector<State::Key> contents;
    if (collection == namespace_collection) {
        const std::string name(object.find("metadata")->string_at("name"));
        for (const Collection& each : state.store.collections()) {
            for (const auto& [key, inside] : state.store.objects(each)) {
                if (key.ns == name) {
                    contents.emplace_back(each, key);
                }
            }
        }
    } else if (collection == definition_collection) {
        const auto types = types_of_definition(object);
        if (!types.empty()) {
            const Collection each{types.front().group, types.front().plural};
            for (const auto& [key, inside] : state.store.objects(each)) {
                contents.emplace_back(each, key);
            }
        }
    }
    for (const auto& [each, key] : contents) {
        begin_deletion(state, each, key, {.propagation = "Background", .grace_seconds = 0}, now);
    }
    return std::ranges::any_of(contents, [&state](const State::Key& content) {
        return state.store.find(content.first, content.second) != nullptr;
    });
}

/// Goes on with a namespace or a definition that waits for what is in it.
void settle_container(
    State& state, const Collection& collection, const ObjectName& name, Time now
) {
    if (has_contents(state, collection, *state.store.find(collection, name), now)) {
        return;
    }
    const Snapshot latest = state.store.find(collection, name);
    if (!latest) {
        return;
    }
    if (has_finalizer(*latest, kCleanup)) {
        json::Value changed = *latest;
        drop_finalizer(changed, kCleanup);
        const bool is_free = !has_finalizers(changed);
        state.store.put(collection, name, std::move(changed));
        if (!is_free) {
            return;
        }
    } else if (has_finalizers(*latest)) {
        return;
    }
    remove(state, collection, name, now);
}

void collect_dependents(State& state, const std::string& uid, Time now) {
    const std::set<State::Key> dependents = state.dependents(uid);
    for (const auto& [collection, name] : dependents) {
        const Snapshot dependent = state.store.find(collection, name);
        if (!dependent) {
            continue;
        }
        json::Array left;
        for (const json::Value& owner :
             dependent->find_path({"metadata", "ownerReferences"})->as_array()) {
            if (owner.string_at("uid") != uid) {
                left.push_back(owner);
            }
        }
        if (left.empty()) {
            begin_deletion(state, collection, name, {.propagation = "Background"}, now);
        } else {
            json::Value changed = *dependent;
            changed.find("metadata")->set("ownerReferences", std::move(left));
            state.store.put(collection, name, std::move(changed));
        }
    }
}

/// Goes on with an object that waits for its dependents, or for what it contains.
void settle_foreground(
    State& state, const Collection& collection, const ObjectName& name, Time now
) {
    const Snapshot object = state.store.find(collection, name);
    if (!object || !is_being_deleted(*object)) {
        return;
    }
    if (is_container(collection)) {
        settle_container(state, collection, name, now);
        return;
    }
    if (!has_finalizer(*object, kForeground)) {
        return;
    }
    const std::string uid(object->find("metadata")->string_at("uid"));
    const std::set<State::Key> dependents = state.dependents(uid);
    bool must_wait = false;
    for (const auto& [each, key] : dependents) {
        const Snapshot dependent = state.store.find(each, key);
        if (!dependent) {
            continue;
        }
        for (const json::Value& owner :
             dependent->find_path({"metadata", "ownerReferences"})->as_array()) {
            const json::Value* blocks = owner.find("blockOwnerDeletion");
            must_wait = must_wait || (owner.string_at("uid") == uid && blocks != nullptr &&
                                      *blocks == json::Value(true));
        }
        if (!is_being_deleted(*dependent)) {
            begin_deletion(state, each, key, {.propagation = "Foreground"}, now);
        }
    }
    if (!must_wait || state.dependents(uid).empty()) {
        const Snapshot latest = state.store.find(collection, name);
        if (!latest) {
            return;
        }
        json::Value changed = *latest;
        drop_finalizer(changed, kForeground);
        const bool is_free = !has_finalizers(changed);
        state.store.put(collection, name, std::move(changed));
        if (is_free) {
            remove(state, collection, name, now);
        }
    }
}

void orphan_dependents(State& state, const std::string& uid) {
    const std::set<State::Key> dependents = state.dependents(uid);
    for (const auto& [collection, name] : dependents) {
        json::Value changed = *state.store.find(collection, name);
        json::Value& metadata = *changed.find("metadata");
        json::Array& owners = metadata.find("ownerReferences")->as_array();
        std::erase_if(owners, [&uid](const json::Value& owner) {
            return owner.string_at("uid") == uid;
        });
        if (owners.empty()) {
            metadata.erase("ownerReferences");
        }
        state.store.put(collection, name, std::move(changed));
    }
}

void settle_orphan(State& state, const Collection& collection, const ObjectName& name, Time now) {
    json::Value changed = *state.store.find(collection, name);
    orphan_dependents(state, std::string(changed.find("metadata")->string_at("uid")));
    drop_finalizer(changed, kOrphan);
    const bool is_free = !has_finalizers(changed);
    state.store.put(collection, name, std::move(changed));
    if (is_free) {
        remove(state, collection, name, now);
    }
}

}  // namespace

void begin_deletion(
    State& state,
    const Collection& collection,
    const ObjectName& name,
    const DeletionOptions& options,
    Time now
) {
    const Snapshot object = state.store.find(collection, name);
    if (!object) {
        return;
    }
    auto marked = mark(*object, collection, options, now);
    if (!marked) {
        remove(state, collection, name, now);
        return;
    }
    const bool is_orphaning = has_finalizer(*marked, kOrphan);
    const bool is_settled = is_container(collection) || has_finalizer(*marked, kForeground);
    if (*marked != *object) {
        state.store.put(collection, name, std::move(*marked));
    }
    if (is_orphaning) {
        settle_orphan(state, collection, name, now);
    } else if (is_settled) {
        settle_foreground(state, collection, name, now);
    }
}

void after_write(State& state, const ResourceType& type, const ObjectName& name, Time now) {
    const Collection collection = State::collection_of(type);
    const Snapshot object = state.store.find(collection, name);
    if (!object) {
        return;
    }
    if (collection == definition_collection && !is_being_deleted(*object)) {
        follow_definition(state, *object, false);
        establish_definition(state, name.name, now);
    }
    if (collection == namespace_collection && !is_being_deleted(*object)) {
        furnish_namespace(state, name.name, now);
    }
    if (!is_being_deleted(*object)) {
        return;
    }
    const json::Value* grace = object->find_path({"metadata", "deletionGracePeriodSeconds"});
    const bool waits =
        grace != nullptr && grace->is_int() && grace->as_int() > 0 && !has_ended(*object);
    if (is_container(collection)) {
        settle_foreground(state, collection, name, now);
    } else if (!has_finalizers(*object) && !waits) {
        remove(state, collection, name, now);
    }
}

}  // namespace sluice::apiserver
