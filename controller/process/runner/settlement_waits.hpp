// Tracks which objects wait for the writes of other objects.
#pragma once

#include "controller/reconcile/stores.hpp"

#include <map>
#include <set>
#include <vector>

namespace sluice::controller {

/// Tracks which keys wait until which objects are settled. Cost of each operation: linear in the
/// number of objects or keys that it concerns.
class SettlementWaits {
  public:
    /// Replaces the objects that the key waits for.
    void set(const ObjectKey& key, const std::vector<ObjectKey>& objects);
    /// Ends the waits of the key.
    void clear(const ObjectKey& key);
    /// Marks the object as settled. Returns the keys that do not wait for any other object.
    std::vector<ObjectKey> take_released(const ObjectKey& object);

  private:
    std::map<ObjectKey, std::set<ObjectKey>> objects_by_key_;
    std::map<ObjectKey, std::set<ObjectKey>> keys_by_object_;
};

}  // namespace sluice::controller
