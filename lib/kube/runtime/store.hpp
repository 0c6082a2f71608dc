// The objects of one kind in memory, with secondary indexes.
#pragma once

#include "base/assert.hpp"
#include "kube/core/resource_path.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::kube {

/// A change of one object in a Store: added (no `before`), removed (no `after`) or changed.
template <class T>
struct Change {
    NamespacedName key;
    std::shared_ptr<const T> before;
    std::shared_ptr<const T> after;

    bool is_added() const { return !before; }
    bool is_removed() const { return !after; }
};

/// The objects of one kind as the API server last reported them, kept up to date by one writer (a
/// reflector). Readers get shared pointers to constant objects, which a later change does not
/// modify. Objects are ordered by namespace and name, so every iteration has the same order.
/// Thread: one thread reads and writes; the objects may be passed to other threads.
template <class T>
class Store {
  public:
    using Pointer = std::shared_ptr<const T>;
    using Objects = std::map<NamespacedName, Pointer>;
    /// Returns the values under which an index lists an object; usually none or one.
    using IndexFunction = std::function<std::vector<std::string>(const T&)>;

    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Adds a secondary index, also if the store already holds objects. Requires: the name is new.
    void add_index(std::string name, IndexFunction function) {
        SLUICE_ASSERT(!indexes_.contains(name));
        auto& index = indexes_[std::move(name)];
        index.function = std::move(function);
        for (const auto& [key, object] : objects_) {
            add_to(index, key, object);
        }
    }

    /// Returns the object, or nullptr.
    Pointer find(const NamespacedName& key) const {
        const auto found = objects_.find(key);
        return found == objects_.end() ? nullptr : found->second;
    }
    Pointer find(std::string_view namespace_, std::string_view name) const {
        return find(NamespacedName{std::string(namespace_), std::string(name)});
    }
    /// Returns a cluster-scoped object, or nullptr.
    Pointer find(std::string_view name) const {
        return find(NamespacedName{{}, std::string(name)});
    }

    /// Returns the objects under a value of an index, ordered by key. Requires: the index exists.
    /// Lifetime: until the next change of the store.
    const Objects& by_index(std::string_view index, const std::string& value) const {
        static const Objects kNone;
        const auto found = indexes_.find(index);
        SLUICE_ASSERT(found != indexes_.end());
        const auto entry = found->second.entries.find(value);
        return entry == found->second.entries.end() ? kNone : entry->second;
    }

    /// All objects, ordered by key. Lifetime: until the next change of the store.
    const Objects& all() const { return objects_; }
    std::size_t size() const { return objects_.size(); }
    /// Returns true if a whole list has been stored. Before that, an absent object may exist.
    bool has_synced() const { return synced_; }

    /// Adds or replaces one object.
    Change<T> upsert(Pointer object) {
        SLUICE_ASSERT(object != nullptr);
        auto key = key_of(*object);
        auto& slot = objects_[key];
        Change<T> change{key, slot, object};
        if (change.before) {
            remove_from_indexes(key, *change.before);
        }
        slot = std::move(object);
        add_to_indexes(key, slot);
        return change;
    }

    /// Removes one object. `before` of the change is null if it did not exist.
    Change<T> remove(const NamespacedName& key) {
        Change<T> change{key, nullptr, nullptr};
        const auto found = objects_.find(key);
        if (found != objects_.end()) {
            change.before = found->second;
            remove_from_indexes(key, *change.before);
            objects_.erase(found);
        }
        return change;
    }

    /// Replaces the whole content by that of a full list, and returns the changes, ordered by key.
    /// An object with the same uid and resourceVersion counts as unchanged and keeps its pointer.
    std::vector<Change<T>> replace(const std::vector<Pointer>& objects) {
        Objects next;
        for (const auto& object : objects) {
            next[key_of(*object)] = object;
        }
        std::vector<Change<T>> changes;
        for (auto& [key, object] : next) {
            const auto before = find(key);
            if (before && before->metadata.uid == object->metadata.uid &&
                before->metadata.resource_version == object->metadata.resource_version) {
                object = before;
            } else {
                changes.push_back(Change<T>{key, before, object});
            }
        }
        for (const auto& [key, object] : objects_) {
            if (!next.contains(key)) {
                changes.push_back(Change<T>{key, object, nullptr});
            }
        }
        std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
            return a.key < b.key;
        });
        for (const auto& change : changes) {
            if (change.before) {
                remove_from_indexes(change.key, *change.before);
            }
            if (change.after) {
                add_to_indexes(change.key, change.after);
            }
        }
        objects_ = std::move(next);
        synced_ = true;
        return changes;
    }

  private:
    struct Index {
        IndexFunction function;
        std::map<std::string, Objects> entries;
    };

    static void add_to(Index& index, const NamespacedName& key, const Pointer& object) {
        for (auto& value : index.function(*object)) {
            index.entries[std::move(value)][key] = object;
        }
    }

    void add_to_indexes(const NamespacedName& key, const Pointer& object) {
        for (auto& [name, index] : indexes_) {
            add_to(index, key, object);
        }
    }

    void remove_from_indexes(const NamespacedName& key, const T& object) {
        for (auto& [name, index] : indexes_) {
            for (const auto& value : index.function(object)) {
                const auto entry = index.entries.find(value);
                if (entry != index.entries.end() && entry->second.erase(key) > 0 &&
                    entry->second.empty()) {
                    index.entries.erase(entry);
                }
            }
        }
    }

    Objects objects_;
    std::map<std::string, Index, std::less<>> indexes_;
    bool synced_ = false;
};

}  // namespace sluice::kube
