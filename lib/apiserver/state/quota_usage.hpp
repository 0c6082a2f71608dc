#pragma once

#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"
#include "json/value.hpp"

#include <map>
#include <string>

namespace sluice::apiserver {

extern const Collection quotas_collection;

bool is_pod(const Collection& collection);
/// What one object uses, under all names by which quotas may know it.
api::ResourceList usage_of(const Collection& collection, const json::Value& object);
/// Whether a quota counts the object. Scopes are about pods.
bool covers(const json::Value& quota, const Collection& collection, const json::Value& object);

/// What is used of each ResourceQuota, kept up with every change: a write must not count anew all
/// objects of its namespace.
class QuotaUsage {
  public:
    /// Takes a change of the store into account. `store`: with the change. All is counted only for
    /// a quota that is new, or counts other things than before.
    void follow(const Store& store, const Collection& collection, const LogEntry& entry);
    /// What is used of the amounts that a quota limits; nothing where it is not there.
    const api::ResourceList& of(const ObjectName& quota) const;

  private:
    struct Counted {
        Snapshot quota;
        api::ResourceList used;
        api::ResourceList zeros;  ///< nothing, in the format of the limit

        void add(const std::string& name, const api::Quantity& amount);
    };
    static Counted recount(const Store& store, const std::string& ns, const Snapshot& quota);
    /// `counted`: a quota that has the change already.
    void count(const Collection& collection, const LogEntry& entry, const ObjectName* counted);

    std::map<ObjectName, Counted> used_;
};

}  // namespace sluice::apiserver
