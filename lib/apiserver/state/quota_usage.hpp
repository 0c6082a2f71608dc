// The usage of each ResourceQuota.
#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <map>
#include <string>

namespace sluice::apiserver {

extern const Collection quotas_collection;

bool is_pod(const Collection& collection);
/// Returns the usage of one object, under all names by which quotas may limit it.
api::ResourceList usage_of(const Collection& collection, const json::Value& object);
/// Returns true if the quota counts the object. Scopes exclude objects other than pods and claims.
bool covers(const json::Value& quota, const Collection& collection, const json::Value& object);

/// The usage of each ResourceQuota, updated with each change: a write must not count all objects of
/// its namespace again.
class QuotaUsage {
  public:
    /// Updates the usage after a change of the store. `store`: includes the change. Counts all
    /// objects only for a quota that is new or that changed what it counts.
    void follow(const Store& store, const Collection& collection, const LogEntry& entry);
    /// Returns the usage of the amounts that a quota limits; empty if the quota does not exist.
    const api::ResourceList& of(const ObjectName& quota) const;

  private:
    struct Counted {
        Snapshot quota;
        api::ResourceList used;
        api::ResourceList zeros;  ///< zero amounts in the formats of the limits

        void add(const std::string& name, const api::Quantity& amount);
    };
    static Counted recount(const Store& store, const std::string& ns, const Snapshot& quota);
    /// `counted`: a quota whose usage includes the change already; nullptr if no quota does.
    void count(const Collection& collection, const LogEntry& entry, const ObjectName* counted);

    std::map<ObjectName, Counted> used_;
};

}  // namespace sluice::apiserver
