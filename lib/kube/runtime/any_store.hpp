// Stores the objects of one kind for code that does not know their type.
#pragma once

#include "api/meta/codec.hpp"
#include "api/meta/dynamic_object.hpp"
#include "api/meta/meta.hpp"
#include "base/error.hpp"
#include "kube/core/kind.hpp"
#include "kube/core/resource_path.hpp"
#include "kube/runtime/store.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::kube {

/// A change of one object of any type. If the object can no longer be decoded, `before` and `after`
/// are both the last version that could be.
struct AnyChange {
    ObjectKey key;
    std::shared_ptr<const void> before;
    std::shared_ptr<const void> after;
};

/// Returns the change with the object's type. Requires: T is the type of the kind.
template <class T>
Change<T> change_as(const AnyChange& change) {
    return {
        {change.key.ns, change.key.name},
        std::static_pointer_cast<const T>(change.before),
        std::static_pointer_cast<const T>(change.after)
    };
}

/// An object that the API server has but that cannot be decoded.
struct UnreadableObject {
    api::ObjectMeta metadata;  ///< the fields that could be read; always the name
    std::string text;          ///< the object's JSON
    std::string error;         ///< the decoder's error, which names the field
};

/// The Store of one kind for code that does not know its type: a reflector, the registry of kinds.
/// Also records the objects that cannot be decoded, so that they do not count as absent.
class AnyStore {
  public:
    using Object = std::shared_ptr<const void>;

    explicit AnyStore(Kind kind) : kind_(kind) {}
    AnyStore(const AnyStore&) = delete;
    AnyStore& operator=(const AnyStore&) = delete;
    virtual ~AnyStore() = default;

    Kind kind() const { return kind_; }

    /// Decodes an object of the kind. Errors: Invalid with the path of the field.
    virtual Result<Object> decode(std::string_view json, const api::DecodeOptions& options)
        const = 0;
    /// Adds or replaces one object; it no longer counts as unreadable.
    AnyChange upsert(const Object& object);
    /// Records that the object's current version cannot be decoded. The store keeps the last
    /// version that could be.
    AnyChange set_unreadable(const NamespacedName& name, UnreadableObject object);
    /// Removes one object. Both sides of the change are null if it did not exist.
    AnyChange remove(const NamespacedName& name);
    /// Replaces the whole content by that of a full list. Keeps the last version of an unreadable
    /// object that could be decoded. Returns the changes, ordered by key.
    std::vector<AnyChange> replace(
        const std::vector<Object>& objects, std::map<NamespacedName, UnreadableObject> unreadable
    );

    /// Empties the store, because the API server does not serve the kind. Returns the changes.
    std::vector<AnyChange> drop();

    /// Returns the object's metadata, even if the object cannot be decoded; nullptr if it does not
    /// exist. Lifetime: until the store changes.
    const api::ObjectMeta* find_metadata(const NamespacedName& name) const;
    /// Returns the last version of the object that could be decoded, or nullptr.
    virtual Object find_object(const NamespacedName& name) const = 0;
    /// The objects whose current version cannot be decoded, by name.
    const std::map<NamespacedName, UnreadableObject>& unreadable() const { return unreadable_; }

    /// Returns the names of all objects that can be decoded or once could be, in order.
    virtual std::vector<NamespacedName> names() const = 0;
    /// Returns the names in one namespace, in order.
    virtual std::vector<NamespacedName> names_in(const std::string& ns) const = 0;
    /// Returns the names under a value of an index of the store, in order. Requires: the index
    /// exists.
    virtual std::vector<NamespacedName> names_by_index(
        std::string_view index, const std::string& value
    ) const = 0;
    virtual std::size_t size() const = 0;
    /// Returns true if a whole list has been stored. Before that, an absent object may exist.
    virtual bool has_synced() const = 0;
    /// Returns true if the store holds all objects: an object that it lacks does not exist. False
    /// before the first list, and after drop(): the API server may serve the kind by now.
    bool shows_all() const { return has_synced() && !is_dropped_; }

  protected:
    virtual AnyChange upsert_object(const Object& object) = 0;
    virtual AnyChange remove_object(const NamespacedName& name) = 0;
    virtual std::vector<AnyChange> replace_objects(const std::vector<Object>& objects) = 0;
    virtual const api::ObjectMeta* find_object_metadata(const NamespacedName& name) const = 0;
    virtual NamespacedName name_of(const Object& object) const = 0;

  private:
    Kind kind_;
    bool is_dropped_ = false;
    std::map<NamespacedName, UnreadableObject> unreadable_;
};

/// Reads the metadata of an object that cannot be decoded: name, namespace, uid, resourceVersion
/// and deletionTimestamp, each if it can be read.
api::ObjectMeta read_identity(std::string_view json);

/// The store of a kind whose objects have the type T.
template <class T>
class KindStore final : public AnyStore {
  public:
    /// Sets fields of a decoded object that need its JSON.
    using Complete = std::function<void(T& object, std::string_view json)>;

    explicit KindStore(Kind kind, Complete complete = {})
        : AnyStore(kind), complete_(std::move(complete)) {}

    const Store<T>& objects() const { return store_; }
    Store<T>& objects() { return store_; }

    Result<Object> decode(std::string_view json, const api::DecodeOptions& options) const override {
        auto decoded = api::decode<T>(json, options);
        if (!decoded) {
            return decoded.error();
        }
        if (complete_) {
            complete_(*decoded, json);
        }
        return Object(std::make_shared<const T>(std::move(*decoded)));
    }
    Object find_object(const NamespacedName& name) const override { return store_.find(name); }
    std::vector<NamespacedName> names() const override { return names_of(store_.all()); }
    std::vector<NamespacedName> names_in(const std::string& ns) const override {
        std::vector<NamespacedName> found;
        const auto& all = store_.all();
        for (auto at = all.lower_bound({ns, ""}); at != all.end() && at->first.namespace_ == ns;
             ++at) {
            found.push_back(at->first);
        }
        return found;
    }
    std::vector<NamespacedName> names_by_index(std::string_view index, const std::string& value)
        const override {
        return names_of(store_.by_index(index, value));
    }
    std::size_t size() const override { return store_.size(); }
    bool has_synced() const override { return store_.has_synced(); }

  protected:
    AnyChange upsert_object(const Object& object) override {
        return erase_type(store_.upsert(std::static_pointer_cast<const T>(object)));
    }
    AnyChange remove_object(const NamespacedName& name) override {
        return erase_type(store_.remove(name));
    }
    std::vector<AnyChange> replace_objects(const std::vector<Object>& objects) override {
        std::vector<std::shared_ptr<const T>> typed;
        typed.reserve(objects.size());
        for (const Object& object : objects) {
            typed.push_back(std::static_pointer_cast<const T>(object));
        }
        std::vector<AnyChange> changes;
        for (Change<T>& change : store_.replace(typed)) {
            changes.push_back(erase_type(std::move(change)));
        }
        return changes;
    }
    const api::ObjectMeta* find_object_metadata(const NamespacedName& name) const override {
        const auto found = store_.find(name);
        return found ? &found->metadata : nullptr;  // the store keeps the object alive
    }
    NamespacedName name_of(const Object& object) const override {
        return key_of(*std::static_pointer_cast<const T>(object));
    }

  private:
    static std::vector<NamespacedName> names_of(const typename Store<T>::Objects& objects) {
        std::vector<NamespacedName> names;
        names.reserve(objects.size());
        for (const auto& [name, object] : objects) {
            names.push_back(name);
        }
        return names;
    }

    AnyChange erase_type(Change<T> change) const {
        return {
            {kind(), std::move(change.key.namespace_), std::move(change.key.name)},
            std::move(change.before),
            std::move(change.after)
        };
    }

    Complete complete_;
    Store<T> store_;
};

}  // namespace sluice::kube
