// All objects, their resourceVersions, and the log of changes that watches read.
#pragma once

#include "json/value.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// A resource without its version: group and plural.
struct Collection {
    std::string group;
    std::string plural;

    friend auto operator<=>(const Collection&, const Collection&) = default;
};

/// The namespace and name of an object.
struct ObjectName {
    std::string ns;  ///< "" for kinds of cluster scope
    std::string name;

    friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// A stored object in one version; it never changes.
using Snapshot = std::shared_ptr<const json::Value>;

/// One change of one object. `before` is nullptr for a creation, `after` is nullptr for a deletion.
struct LogEntry {
    std::int64_t version = 0;
    ObjectName name;
    Snapshot before;
    Snapshot after;
    Snapshot last;          ///< for a deletion: the object with the resourceVersion of its deletion
    std::size_t bytes = 0;  ///< approximate size of the object
};

/// All objects, in the version in which they are stored, with one sequence of resourceVersions and
/// a log of their changes. Thread: one.
class Store {
  public:
    using Objects = std::map<ObjectName, Snapshot>;

    static constexpr std::size_t kLogBytesMax = std::size_t{64} << 20U;

    /// `log_max`: the maximum number of entries in the log of each collection. `log_bytes_max`:
    /// their maximum total size in bytes, approximately. The latest entry is always kept.
    explicit Store(std::size_t log_max = 10'000, std::size_t log_bytes_max = kLogBytesMax)
        : log_max_(log_max), log_bytes_max_(log_bytes_max) {}

    /// Returns the latest resourceVersion.
    std::int64_t version() const { return version_; }
    /// Returns the object of that name; nullptr if it does not exist.
    Snapshot find(const Collection& collection, const ObjectName& name) const;
    /// Returns all objects of the collection. Lifetime: until the store changes.
    const Objects& objects(const Collection& collection) const;
    /// Returns the objects as they were at that version; nullopt if the log does not reach back to
    /// it.
    std::optional<Objects> objects_at(const Collection& collection, std::int64_t version) const;
    /// Stores a new object or replaces the one of that name; sets its resourceVersion.
    Snapshot put(const Collection& collection, const ObjectName& name, json::Value object);
    /// Stores an object with the resourceVersion that it has. Requires: no object has that name;
    /// set_version() and compact() are called before the store is read.
    void restore(const Collection& collection, const ObjectName& name, Snapshot object);
    /// Removes an object. Requires: the object exists.
    void remove(const Collection& collection, const ObjectName& name);
    std::vector<Collection> collections() const;
    /// Returns the number of objects in all collections.
    std::size_t size() const;

    /// Returns the log of the collection, oldest entry first. The log has every change after that
    /// version, and may have earlier ones. Returns nullptr if it does not reach back to that
    /// version. Lifetime: until the store changes.
    const std::deque<LogEntry>* log_since(const Collection& collection, std::int64_t version) const;
    /// Drops the log: watches that have not read all of it must list again.
    void compact();
    /// Continues the sequence of resourceVersions from `version`, after a snapshot was restored.
    void set_version(std::int64_t version) { version_ = version; }

    /// Calls `on_change` after each change of the collection, until the handle is destroyed.
    using Subscription = std::shared_ptr<void>;
    Subscription subscribe(const Collection& collection, std::function<void()> on_change);
    /// Calls the observer after each change of any collection.
    using OnEntry = std::function<void(const Collection&, const LogEntry&)>;
    void add_observer(OnEntry observer) { observers_.push_back(std::move(observer)); }

  private:
    struct Kept {
        Objects objects;
        std::deque<LogEntry> log;
        std::size_t log_bytes = 0;
        /// ResourceVersion of the last change that the log dropped.
        std::int64_t log_start = 0;
        std::vector<std::weak_ptr<std::function<void()>>> subscribers;
    };
    void note(const Collection& collection, Kept& kept, LogEntry entry);

    std::size_t log_max_;
    std::size_t log_bytes_max_;
    std::int64_t version_ = 1;
    std::int64_t compacted_ = 0;
    std::map<Collection, Kept> kept_;
    std::vector<OnEntry> observers_;
};

}  // namespace sluice::apiserver
