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

/// What happened to one object, whatever its type. Of an object that cannot be read any more
/// `before` and `after` are what was read last.
struct AnyChange {
    ObjectKey key;
    std::shared_ptr<const void> before;
    std::shared_ptr<const void> after;

    bool is_added() const { return !before; }
    bool is_removed() const { return !after; }
};

/// The change as one of objects of type T. Requires: T is the type of the kind.
template <class T>
Change<T> change_as(const AnyChange& change) {
    return {
        {change.key.ns, change.key.name},
        std::static_pointer_cast<const T>(change.before),
        std::static_pointer_cast<const T>(change.after)
    };
}

/// An object that the API server has and that cannot be decoded.
struct UnreadableObject {
    api::ObjectMeta metadata;  ///< as far as it can be read; the name always
    std::string text;          ///< the JSON
    std::string error;         ///< what is wrong with it, naming the field
};

/// The Store of one kind for code that does not know its type: a reflector, the registry of kinds.
/// Beside the objects it knows which ones cannot be read, so that they are not taken for absent.
class AnyStore {
  public:
    using Object = std::shared_ptr<const void>;

    explicit AnyStore(Kind kind) : kind_(kind) {}
    AnyStore(const AnyStore&) = delete;
    AnyStore& operator=(const AnyStore&) = delete;
    virtual ~AnyStore() = default;

    Kind kind() const { return kind_; }

    /// Reads an object of the kind. Errors: Invalid with the path of the field.
    virtual Result<Object> decode(std::string_view json, const api::DecodeOptions& options)
        const = 0;
    /// Adds or replaces one object, which can be read (again).
    AnyChange upsert(const Object& object);
    /// The API server has the object in a version that cannot be read; what was read last stays.
    AnyChange set_unreadable(const NamespacedName& name, UnreadableObject object);
    /// Removes one object; both sides of the change are null when there was none.
    AnyChange remove(const NamespacedName& name);
    /// Swaps the whole content for that of a full list. Of what cannot be read the last good
    /// version stays. Says what changed, ordered by key.
    std::vector<AnyChange> replace(
        const std::vector<Object>& objects, std::map<NamespacedName, UnreadableObject> unreadable
    );

    /// Empties the store of a kind that the API server does not serve.
    std::vector<AnyChange> drop();

    /// The metadata of the object, also of one that cannot be read; nullptr: there is none.
    /// Lifetime: until the store changes.
    const api::ObjectMeta* find_metadata(const NamespacedName& name) const;
    /// What was read last of the object, or nullptr.
    virtual Object find_object(const NamespacedName& name) const = 0;
    /// The objects that cannot be read as the API server has them.
    const std::map<NamespacedName, UnreadableObject>& unreadable() const { return unreadable_; }

    /// The names of all objects that can be read or could be once, in order.
    virtual std::vector<NamespacedName> names() const = 0;
    /// Those of one namespace.
    virtual std::vector<NamespacedName> names_in(const std::string& ns) const = 0;
    /// Those under a value of an index of the store, in order. Requires: the index exists.
    virtual std::vector<NamespacedName> names_by_index(
        std::string_view index, const std::string& value
    ) const = 0;
    virtual std::size_t size() const = 0;
    /// Whether a whole list has been seen; before that an absent object proves nothing.
    virtual bool has_synced() const = 0;
    /// Returns true if the last list was one of a kind that the API server serves: an object that
    /// the store lacks does not exist. False after drop(): the kind may be served by now.
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

/// Metadata of an object whose whole cannot be decoded: name, namespace, uid, resourceVersion and
/// deletionTimestamp, as far as they can be read.
api::ObjectMeta read_identity(std::string_view json);

/// The objects of a kind with the type T.
template <class T>
class KindStore final : public AnyStore {
  public:
    /// Completes an object that was decoded with what only its JSON says.
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
