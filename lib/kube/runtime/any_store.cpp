#include "kube/runtime/any_store.hpp"

#include "kube/core/raw_json.hpp"

#include <utility>

namespace sluice::kube {

AnyChange AnyStore::upsert(const Object& object) {
    unreadable_.erase(name_of(object));
    return upsert_object(object);
}

AnyChange AnyStore::set_unreadable(const NamespacedName& name, UnreadableObject object) {
    object.metadata.namespace_ = name.namespace_;
    object.metadata.name = name.name;
    unreadable_.insert_or_assign(name, std::move(object));
    Object last_good = find_object(name);
    return {{kind_, name.namespace_, name.name}, last_good, last_good};
}

AnyChange AnyStore::remove(const NamespacedName& name) {
    unreadable_.erase(name);
    return remove_object(name);
}

std::vector<AnyChange> AnyStore::replace(
    const std::vector<Object>& objects, std::map<NamespacedName, UnreadableObject> unreadable
) {
    std::vector<Object> all = objects;
    for (auto& [name, object] : unreadable) {
        object.metadata.namespace_ = name.namespace_;
        object.metadata.name = name.name;
        if (Object last_good = find_object(name)) {
            all.push_back(std::move(last_good));
        }
    }
    unreadable_ = std::move(unreadable);
    is_dropped_ = false;
    return replace_objects(all);
}

std::vector<AnyChange> AnyStore::drop() {
    std::vector<AnyChange> changes = replace({}, {});
    is_dropped_ = true;
    return changes;
}

const api::ObjectMeta* AnyStore::find_metadata(const NamespacedName& name) const {
    if (!unreadable_.empty()) {
        const auto found = unreadable_.find(name);
        if (found != unreadable_.end()) {
            return &found->second.metadata;
        }
    }
    return find_object_metadata(name);
}

api::ObjectMeta read_identity(std::string_view json) {
    const std::string_view metadata = find_raw(json, {"metadata"});
    api::ObjectMeta identity;
    identity.namespace_ = find_string(metadata, {"namespace"});
    identity.name = find_string(metadata, {"name"});
    identity.uid = find_string(metadata, {"uid"});
    identity.resource_version = find_string(metadata, {"resourceVersion"});
    const std::string_view deleted = find_raw(metadata, {"deletionTimestamp"});
    if (!deleted.empty() && deleted != "null") {
        const auto whole =
            api::decode<api::ObjectMeta>("{\"deletionTimestamp\":" + std::string(deleted) + "}");
        // Only the presence of the deletionTimestamp matters, not its value.
        identity.deletion_timestamp =
            whole && whole->deletion_timestamp ? whole->deletion_timestamp : Time{};
    }
    return identity;
}

}  // namespace sluice::kube
