// The stores of all watched kinds.
#pragma once

#include "base/assert.hpp"
#include "kube/core/kind.hpp"
#include "kube/runtime/any_store.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::kube {

/// The stores of all watched kinds, one for each: typed kinds, and kinds known only at run time.
/// Reflectors write them, all other code reads them. Thread: one.
class Stores {
  public:
    Stores() = default;
    Stores(const Stores&) = delete;
    Stores& operator=(const Stores&) = delete;

    /// Adds the store of a kind. Requires: the kind does not have a store yet.
    AnyStore& add(std::unique_ptr<AnyStore> store) {
        AnyStore& added = *store;
        const bool is_new = stores_.emplace(added.kind(), std::move(store)).second;
        SLUICE_ASSERT(is_new);
        by_info_.emplace_back(added.kind().info(), &added);
        return added;
    }

    /// Removes the kind's store, if it has one. Requires: nothing refers to the store any more.
    void remove(Kind kind) {
        const auto found = stores_.find(kind);
        if (found != stores_.end()) {
            std::erase_if(by_info_, [store = found->second.get()](const auto& entry) {
                return entry.second == store;
            });
            stores_.erase(found);
        }
    }

    /// Returns the objects of a typed kind. Requires: the kind was added with the type T. Cost: a
    /// scan of one pointer for each kind.
    template <class T>
    Store<T>& of() {
        return store_of<T>()->objects();
    }
    template <class T>
    const Store<T>& of() const {
        return store_of<T>()->objects();
    }
    /// Returns the store of a kind, or nullptr.
    AnyStore* find(Kind kind) const {
        const auto found = stores_.find(kind);
        return found == stores_.end() ? nullptr : found->second.get();
    }
    /// Returns the kind with the group and kind name of an owner reference; nullopt if no such kind
    /// has a store.
    std::optional<Kind> find_kind(std::string_view group, std::string_view name) const {
        for (const auto& [kind, store] : stores_) {
            if (kind.group() == group && kind.name() == name) {
                return kind;
            }
        }
        return std::nullopt;
    }
    /// Returns the objects of a kind known only at run time; nullptr if the kind is not watched.
    const Store<api::DynamicObject>* find_dynamic(Kind kind) const {
        const auto* store = dynamic_cast<const KindStore<api::DynamicObject>*>(find(kind));
        return store == nullptr ? nullptr : &store->objects();
    }

    /// Returns the metadata of any object, or nullptr. Lifetime: until the store changes.
    const api::ObjectMeta* find_metadata(const ObjectKey& key) const {
        const AnyStore* store = find(key.kind);
        return store == nullptr ? nullptr : store->find_metadata({key.ns, key.name});
    }

  private:
    template <class T>
    KindStore<T>* store_of() const {
        const api::KindInfo* wanted = kind_of<T>().info();
        for (const auto& [info, store] : by_info_) {
            if (info == wanted) {
                return static_cast<KindStore<T>*>(store);
            }
        }
        SLUICE_ASSERT(false && "the kind has no store");
        return nullptr;
    }

    std::map<Kind, std::unique_ptr<AnyStore>> stores_;
    std::vector<std::pair<const api::KindInfo*, AnyStore*>> by_info_;
};

}  // namespace sluice::kube
