#pragma once

#include "apiserver/failures.hpp"
#include "apiserver/resource_type.hpp"
#include "apiserver/store.hpp"
#include "base/clock.hpp"
#include "base/prng.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

/// Everything that the server knows, and what every way of changing it shares.
class State {
  public:
    State(std::uint64_t seed, std::size_t log_max);

    Store store;
    ResourceTable types;

    std::string new_uid();
    /// Five characters, as generateName appends them.
    std::string new_suffix();

    /// Where objects of the type are kept: the two Event kinds share one place.
    static Collection collection_of(const ResourceType& type);
    /// A stored object in the version of the type.
    static json::Value to_version(const json::Value& stored, const ResourceType& type);
    /// The other way: an object of that type as it is stored.
    Result<json::Value> to_stored(json::Value object, const ResourceType& type) const;

    /// Objects that name the owner in their ownerReferences.
    using Key = std::pair<Collection, ObjectName>;
    const std::set<Key>& dependents(std::string_view uid) const;
    /// The object of that uid, or nullptr.
    const Key* find_by_uid(std::string_view uid) const;

  private:
    void index(const Collection& collection, const LogEntry& entry);

    Prng prng_;
    std::map<std::string, std::set<Key>, std::less<>> dependents_;  ///< by the owner's uid
    std::map<std::string, Key, std::less<>> by_uid_;
};

/// What objects of the type look like. nullptr: nobody knows, so that they stay as they are.
std::shared_ptr<const Schema> schema_of(const ResourceType& type);

}  // namespace sluice::apiserver
