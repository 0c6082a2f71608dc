#pragma once

#include "apiserver/objects/cause.hpp"
#include "apiserver/schema/schema.hpp"
#include "json/value.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// The text that tells an item of a keyed list from the others: its keys, with defaults, as JSON in
/// the order of their names. Empty: it has not all of them.
std::string list_map_key(const Schema& list, const json::Value& item);

/// The items of a list before a change, found by what identifies an item in a keyed list.
class OldItems {
  public:
    OldItems(const Schema& list, const json::Value* old);
    /// The old form of an item; nullptr: there was none, or the list is not keyed.
    const json::Value* find(const json::Value& item) const;

  private:
    const Schema& list_;
    std::map<std::string, const json::Value*> by_key_;
};

/// Adds items that stand twice in sets and keyed lists; none where the old object had any.
void add_list_faults(
    const Schema& schema,
    const json::Value& object,
    const json::Value* old_object,
    std::vector<Cause>& causes
);

/// Adds embedded resources without or with malformed apiVersion and kind.
void add_embedded_faults(
    const Schema& schema, const json::Value& object, std::vector<Cause>& causes
);

}  // namespace sluice::apiserver
