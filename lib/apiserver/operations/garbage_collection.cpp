#include "apiserver/operations/garbage_collection.hpp"

#include "apiserver/admission/admission_policies.hpp"
#include "apiserver/admission/resource_quota.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/operations/definition_status.hpp"
#include "apiserver/operations/namespace_content.hpp"
#include "apiserver/operations/namespace_remains.hpp"
#include "apiserver/state/custom_types.hpp"
#include "apiserver/state/deletion_mark.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

using Key = State::Key;

const Collection pods_collection{"", "pods"};

Snapshot find_object(const State& state, const Key& key) {
    return state.store.find(key.first, key.second);
}

/// Returns the collection of a definition's objects; nullopt if it does not define a kind.
std::optional<Collection> objects_of(const json::Value& definition) {
    const auto types = types_of_definition(definition);
    return types.empty() ? std::nullopt
                         : std::optional<Collection>({types.front().group, types.front().plural});
}

/// Returns the objects inside a namespace or of a definition. While a namespace has pods, returns
/// only the pods: they are deleted first.
std::vector<Key> find_contents(
    const State& state, const Key& container, const json::Value& object
) {
    std::vector<Key> contents;
    if (container.first == namespaces_collection) {
        const std::string& ns = container.second.name;
        const NamespaceCounts::Counts& counts = state.namespace_counts().in(ns);
        const bool has_pods = counts.of(pods_collection) > 0;
        for (const auto& [each, count] : counts.objects) {
            if (has_pods && each != pods_collection) {
                continue;
            }
            const auto& objects = state.store.objects(each);
            for (auto at = objects.lower_bound({ns, ""}); at != objects.end() && at->first.ns == ns;
                 ++at) {
                contents.emplace_back(each, at->first);
            }
        }
    } else if (const auto each = objects_of(object)) {
        for (const auto& [name, inside] : state.store.objects(*each)) {
            contents.emplace_back(*each, name);
        }
    }
    return contents;
}

/// Returns true if the namespace or definition contains objects.
bool has_contents(const State& state, const Key& container, const json::Value& object) {
    if (container.first == namespaces_collection) {
        return !state.namespace_counts().in(container.second.name).objects.empty();
    }
    const auto each = objects_of(object);
    return each && !state.store.objects(*each).empty();
}

/// Returns true if the object has another owner that exists and does not wait for its dependents.
bool has_other_owner(const State& state, const json::Value& object, std::string_view uid) {
    const json::Value* owners = object.find_path({"metadata", "ownerReferences"});
    return owners != nullptr &&
           std::ranges::any_of(owners->as_array(), [&](const json::Value& owner) {
               const Key* key = state.find_by_uid(owner.string_at("uid"));
               const Snapshot found = key == nullptr ? nullptr : find_object(state, *key);
               return owner.string_at("uid") != uid && found &&
                      !(is_being_deleted(*found) && has_finalizer(*found, kForeground));
           });
}

/// Returns true if the dependent blocks the deletion of the owner with that uid.
bool blocks_owner(const json::Value& dependent, std::string_view uid) {
    const auto& owners = items_of(dependent.find_path({"metadata", "ownerReferences"}));
    return std::ranges::any_of(owners, [uid](const json::Value& owner) {
        return owner.string_at("uid") == uid && is_true(owner, "blockOwnerDeletion");
    });
}

void disown(State& state, const Key& key, const json::Value& dependent, std::string_view uid) {
    json::Value changed = dependent;
    json::Value& owners = *changed.find("metadata")->find("ownerReferences");
    std::erase_if(owners.as_array(), [uid](const json::Value& owner) {
        return owner.string_at("uid") == uid;
    });
    state.store.put(key.first, key.second, std::move(changed));
}

/// Returns true if the object, which is being deleted too, waits directly or indirectly for the
/// object of that uid.
bool waits_for(const State& state, const Key& key, std::string_view uid) {
    std::set<Key> seen{key};
    std::vector<Key> open{key};
    while (!open.empty()) {
        const Snapshot object = find_object(state, open.back());
        open.pop_back();
        if (!object || !is_being_deleted(*object) || !has_finalizer(*object, kForeground)) {
            continue;
        }
        const auto own = object->find("metadata")->string_at("uid");
        if (own == uid) {
            return true;
        }
        for (const Key& dependent : state.dependents(own)) {
            if (seen.insert(dependent).second) {
                open.push_back(dependent);
            }
        }
    }
    return false;
}

void orphan_dependents(State& state, const std::string& uid) {
    const std::set<Key> dependents = state.dependents(uid);
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

/// Processes deletions and their consequences one after the other. Chains of owners can have any
/// length, so the work for each object must not nest. Objects that wait for other objects are
/// checked after all deletions have begun, and only once, however many of the other objects were
/// deleted in the meantime.
class Collector {
  public:
    Collector(State& state, Time now) : state_(state), now_(now) {}

    void begin(Key key, DeletionOptions options) {
        deletions_.push_back({std::move(key), std::move(options)});
    }
    /// Continues the deletion of an object that waits for its dependents or its contents: begins
    /// their deletion.
    void settle(const Key& key) { look_at(key, Look::Begin); }
    /// Continues the deletion of owners that the object blocked before it was written, but does not
    /// block any more.
    void wake_owners(const json::Value& before, const json::Value& after);
    /// Removes the object and begins the deletion of its dependents.
    void remove(const Key& key);
    /// Processes all deletions and their consequences.
    void run();

  private:
    enum class Look : std::uint8_t {
        Again,  ///< something that the object waits for was removed
        Begin,
    };
    struct Deletion {
        Key key;
        DeletionOptions options;
    };

    void look_at(const Key& key, Look look);
    void do_begin(const Deletion& deletion);
    void settle_orphan(const Key& key);
    void settle_container(const Key& key, const json::Value& object, Look look);
    void settle_foreground(const Key& key, const json::Value& object, Look look);
    void free_of(const Key& key, std::string_view finalizer);
    void collect_dependents(const std::string& uid);
    void wake_container(const Key& gone);

    State& state_;
    Time now_;
    std::deque<Deletion> deletions_;
    std::deque<Key> waiting_;
    std::map<Key, Look> looks_;      ///< by the waiting objects
    std::set<std::string> touched_;  ///< namespaces whose quotas gained room
};

void Collector::run() {
    while (!deletions_.empty() || !waiting_.empty()) {
        if (!deletions_.empty()) {
            const Deletion next = std::move(deletions_.front());
            deletions_.pop_front();
            do_begin(next);
            continue;
        }
        const Key key = std::move(waiting_.front());
        waiting_.pop_front();
        const Look look = looks_.extract(key).mapped();
        const Snapshot object = find_object(state_, key);
        if (!object || !is_being_deleted(*object)) {
            continue;
        }
        if (is_container(key.first)) {
            settle_container(key, *object, look);
        } else if (has_finalizer(*object, kForeground)) {
            settle_foreground(key, *object, look);
        }
    }
    for (const std::string& ns : std::exchange(touched_, {})) {
        settle_quotas(state_, ns);
    }
}

void Collector::look_at(const Key& key, Look look) {
    const auto [place, is_new] = looks_.emplace(key, look);
    if (is_new) {
        waiting_.push_back(key);
    }
    place->second = std::max(place->second, look);
}

void Collector::do_begin(const Deletion& deletion) {
    const Key& key = deletion.key;
    const Snapshot object = find_object(state_, key);
    if (!object) {
        return;
    }
    auto marked = mark(*object, key.first, deletion.options, now_);
    if (!marked) {
        remove(key);
        return;
    }
    const bool is_orphaning = has_finalizer(*marked, kOrphan);
    const bool waits = is_container(key.first) || has_finalizer(*marked, kForeground);
    if (*marked != *object) {
        state_.store.put(key.first, key.second, std::move(*marked));
    }
    if (is_orphaning) {
        settle_orphan(key);
    } else if (waits) {
        settle(key);
    }
}

void Collector::remove(const Key& key) {
    const auto& [collection, name] = key;
    const Snapshot last = find_object(state_, key);
    if (!last) {
        return;
    }
    state_.store.remove(collection, name);
    if (collection == definitions_collection) {
        follow_definition(state_, *last, true);
    }
    restore_furniture(state_, collection, name, now_);
    touched_.insert(name.ns);
    collect_dependents(std::string(last->find("metadata")->string_at("uid")));
    for (const json::Value& owner : items_of(last->find_path({"metadata", "ownerReferences"}))) {
        if (const Key* found = state_.find_by_uid(owner.string_at("uid"))) {
            look_at(*found, Look::Again);
        }
    }
    wake_container(key);
}

/// Continues the deletion of the namespace or definition that contained the object.
void Collector::wake_container(const Key& gone) {
    const auto& [collection, name] = gone;
    const auto wake = [this](const Key& container, Look look) {
        const Snapshot object = find_object(state_, container);
        if (object && is_being_deleted(*object)) {
            look_at(container, look);
        }
    };
    if (!name.ns.empty()) {
        // The other objects of a namespace are deleted after its last pod.
        const bool was_last_pod = collection == pods_collection &&
                                  state_.namespace_counts().in(name.ns).of(pods_collection) == 0;
        wake({namespaces_collection, {"", name.ns}}, was_last_pod ? Look::Begin : Look::Again);
    }
    if (!collection.group.empty()) {
        wake(
            {definitions_collection, {"", collection.plural + "." + collection.group}}, Look::Again
        );
    }
}

void Collector::wake_owners(const json::Value& before, const json::Value& after) {
    for (const json::Value& owner : items_of(before.find_path({"metadata", "ownerReferences"}))) {
        const auto uid = owner.string_at("uid");
        const Key* found = is_true(owner, "blockOwnerDeletion") && !blocks_owner(after, uid)
                               ? state_.find_by_uid(uid)
                               : nullptr;
        if (found != nullptr) {
            look_at(*found, Look::Again);
        }
    }
}

void Collector::collect_dependents(const std::string& uid) {
    const std::set<Key> dependents = state_.dependents(uid);
    for (const Key& key : dependents) {
        const Snapshot dependent = find_object(state_, key);
        json::Array left = items_of(dependent->find_path({"metadata", "ownerReferences"}));
        std::erase_if(left, [&uid](const json::Value& owner) {
            return owner.string_at("uid") == uid;
        });
        if (left.empty()) {
            begin(key, {.propagation = "Background"});
        } else {
            json::Value changed = *dependent;
            changed.find("metadata")->set("ownerReferences", std::move(left));
            state_.store.put(key.first, key.second, std::move(changed));
        }
    }
}

/// Removes a finalizer, and the object itself if it was the last one.
void Collector::free_of(const Key& key, std::string_view finalizer) {
    const Snapshot object = find_object(state_, key);
    const bool had = has_finalizer(*object, finalizer);
    json::Value changed = *object;
    drop_finalizer(changed, finalizer);
    const bool is_free = !has_finalizers(changed);
    if (had) {
        state_.store.put(key.first, key.second, std::move(changed));
    }
    if (is_free) {
        remove(key);
    }
}

void Collector::settle_orphan(const Key& key) {
    orphan_dependents(
        state_, std::string(find_object(state_, key)->find("metadata")->string_at("uid"))
    );
    free_of(key, kOrphan);
}

void Collector::settle_container(const Key& key, const json::Value& object, Look look) {
    if (look == Look::Begin) {
        const std::vector<Key> contents = find_contents(state_, key, object);
        for (const Key& each : contents) {
            begin(each, {.propagation = "Background", .grace_seconds = 0});
        }
        if (!contents.empty()) {
            look_at(key, Look::Again);
            return;
        }
    } else if (has_contents(state_, key, object)) {
        if (key.first == namespaces_collection) {
            report_remaining_content(state_, key.second.name, now_);
        }
        return;
    }
    free_of(key, kCleanup);
}

void Collector::settle_foreground(const Key& key, const json::Value& object, Look look) {
    const std::string uid(object.find("metadata")->string_at("uid"));
    const auto must_wait_for = [&](const Key& each, const json::Value& dependent) {
        // Objects that wait for each other do not block each other.
        return blocks_owner(dependent, uid) && !waits_for(state_, each, uid);
    };
    if (look == Look::Again) {
        // One remaining dependent is enough: the others need not be checked.
        for (const Key& each : state_.dependents(uid)) {
            const Snapshot dependent = find_object(state_, each);
            if (!is_being_deleted(*dependent)) {
                break;
            }
            if (must_wait_for(each, *dependent)) {
                return;
            }
        }
    }
    bool must_wait = false;
    bool has_begun = false;
    const std::set<Key> dependents = state_.dependents(uid);
    for (const Key& each : dependents) {
        const Snapshot dependent = find_object(state_, each);
        const bool is_going = is_being_deleted(*dependent);
        if (!is_going && has_other_owner(state_, *dependent, uid)) {
            disown(state_, each, *dependent, uid);
            continue;
        }
        if (!is_going) {
            begin(each, {.propagation = "Foreground"});
            has_begun = true;
        }
        must_wait = must_wait || must_wait_for(each, *dependent);
    }
    if (!must_wait) {
        free_of(key, kForeground);
    } else if (has_begun) {
        look_at(key, Look::Again);  // some dependents may wait for this object themselves
    }
}

bool is_there(const State& state, const json::Value& owner, const std::string& ns) {
    const Key* found = state.find_by_uid(owner.string_at("uid"));
    return found != nullptr && (found->second.ns.empty() || found->second.ns == ns);
}

/// Deletes a dependent that was written after its last owner was deleted.
void collect_if_abandoned(State& state, Collector& collector, const Key& key) {
    const Snapshot object = find_object(state, key);
    const json::Value* owners = object->find_path({"metadata", "ownerReferences"});
    if (owners == nullptr || !owners->is_array() || owners->as_array().empty()) {
        return;
    }
    json::Array left;
    std::ranges::copy_if(owners->as_array(), std::back_inserter(left), [&](const auto& owner) {
        return is_there(state, owner, key.second.ns);
    });
    if (left.empty()) {
        collector.begin(key, {.propagation = "Background"});
    } else if (left.size() < owners->as_array().size()) {
        json::Value changed = *object;
        changed.find("metadata")->set("ownerReferences", std::move(left));
        state.store.put(key.first, key.second, std::move(changed));
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
    Collector collector(state, now);
    collector.begin({collection, name}, options);
    collector.run();
}

void after_write(
    State& state, const ResourceType& type, const ObjectName& name, const Snapshot& before, Time now
) {
    const Collection collection = State::collection_of(type);
    const Snapshot object = state.store.find(collection, name);
    if (!object) {
        return;
    }
    if (collection == definitions_collection && !is_being_deleted(*object)) {
        follow_definition(state, *object, false);
        establish_definition(state, name.name, now);
    }
    if (collection == namespaces_collection && !is_being_deleted(*object)) {
        furnish_namespace(state, name.name, now);
    }
    restore_furniture(state, collection, name, now);
    settle_quotas(state, name.ns);
    settle_policy(state, collection, name);
    Collector collector(state, now);
    if (before) {
        collector.wake_owners(*before, *object);
    }
    const Key key(collection, name);
    if (!is_being_deleted(*object)) {
        collect_if_abandoned(state, collector, key);
        collector.run();
        return;
    }
    const json::Value* grace = object->find_path({"metadata", "deletionGracePeriodSeconds"});
    const bool waits =
        grace != nullptr && grace->is_int() && grace->as_int() > 0 && !has_ended(*object);
    if (is_container(collection)) {
        collector.settle(key);
    } else if (!has_finalizers(*object) && !waits) {
        collector.remove(key);
    }
    collector.run();
}

}  // namespace sluice::apiserver
