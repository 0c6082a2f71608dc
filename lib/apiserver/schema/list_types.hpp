// Lists that are sets or maps (x-kubernetes-list-type), and embedded resources.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// Returns the identity of an item of a keyed list: its keys, with their defaults, as JSON ordered
/// by name. Empty if the item lacks a key.
std::string list_map_key(const Schema& list, const json::Value& item);

/// The items of a list before a change, indexed by their keys. Refers to the schema and the list.
class OldItems {
  public:
    OldItems(const Schema& list, const json::Value* old);
    /// Returns the item of the old list with the same keys; nullptr if the old list has no such
    /// item or the list is not keyed.
    const json::Value* find(const json::Value& item) const;

  private:
    const Schema& list_;
    std::map<std::string, const json::Value*> by_key_;
};

/// Adds a fault for each duplicate in sets and keyed lists. Adds nothing if the old object had
/// duplicates already.
void add_list_faults(
    const Schema& schema,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<Cause>& causes
);

/// Adds the faults of embedded resources whose apiVersion or kind is missing or malformed.
void add_embedded_faults(
    const Schema& schema, const json::Value& object, std::vector<Cause>& causes
);

}  // namespace sluice::apiserver
