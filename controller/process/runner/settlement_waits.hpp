#pragma once

#include "controller/reconcile/stores.hpp"

#include <map>
#include <set>
#include <vector>

namespace sluice::controller {

/// Remembers which keys wait until which objects are settled. Each operation costs in proportion
/// to the objects or keys that it concerns.
class SettlementWaits {
  public:
    /// Replaces the objects that the key waits for.
    void set(const ObjectKey& key, const std::vector<ObjectKey>& objects);
    /// Ends the waits of the key.
    void clear(const ObjectKey& key);
    /// Notes that the object is settled. Returns the keys that do not wait for any other object.
    std::vector<ObjectKey> take_released(const ObjectKey& object);

  private:
    std::map<ObjectKey, std::set<ObjectKey>> objects_by_key_;
    std::map<ObjectKey, std::set<ObjectKey>> keys_by_object_;
};

}  // namespace sluice::controller
