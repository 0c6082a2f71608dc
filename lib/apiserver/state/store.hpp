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

struct ObjectName {
    std::string ns;  ///< "" for kinds of cluster scope
    std::string name;

    friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// An object as it was stored once; it never changes.
using Snapshot = std::shared_ptr<const json::Value>;

/// What happened to one object. Of a new one there is no `before`, of a deleted one no `after`.
struct LogEntry {
    std::int64_t version = 0;
    ObjectName name;
    Snapshot before;
    Snapshot after;
    Snapshot last;          ///< of a deletion: the object with the version of its deletion
    std::size_t bytes = 0;  ///< about what the object takes
};

/// All objects, in the version in which they are stored, with one sequence of resourceVersions and
/// a log of what happened to them. Thread: one.
class Store {
  public:
    using Objects = std::map<ObjectName, Snapshot>;

    static constexpr std::size_t kLogBytesMax = std::size_t{64} << 20U;

    /// `log_max`: entries that are kept of each collection, and `log_bytes_max`: of about how many
    /// bytes together; the latest one is kept in any case.
    explicit Store(std::size_t log_max = 10'000, std::size_t log_bytes_max = kLogBytesMax)
        : log_max_(log_max), log_bytes_max_(log_bytes_max) {}

    /// The latest resourceVersion.
    std::int64_t version() const { return version_; }
    Snapshot find(const Collection& collection, const ObjectName& name) const;
    const Objects& objects(const Collection& collection) const;
    /// The objects as they were at that version; nothing: the log does not go back so far.
    std::optional<Objects> objects_at(const Collection& collection, std::int64_t version) const;
    /// Stores the object, new or in place of one, and gives it its resourceVersion.
    Snapshot put(const Collection& collection, const ObjectName& name, json::Value object);
    /// Stores an object with the resourceVersion that it has. Requires: none of that name is there;
    /// set_version() and compact() follow before anybody reads.
    void restore(const Collection& collection, const ObjectName& name, Snapshot object);
    /// Requires: it is there.
    void remove(const Collection& collection, const ObjectName& name);
    std::vector<Collection> collections() const;
    std::size_t size() const;

    /// What happened after that version, oldest first; nullptr: the log does not go back so far.
    /// Lifetime: until the store changes.
    const std::deque<LogEntry>* log_since(const Collection& collection, std::int64_t version) const;
    /// Forgets the log up to now: whoever has not read it must list again.
    void compact();
    /// For snapshots that are read back: the sequence goes on from there.
    void set_version(std::int64_t version) { version_ = version; }

    /// Calls `on_change` after each change of the collection, until the handle is gone.
    using Subscription = std::shared_ptr<void>;
    Subscription subscribe(const Collection& collection, std::function<void()> on_change);
    /// The same for every change of any collection.
    using OnEntry = std::function<void(const Collection&, const LogEntry&)>;
    void add_observer(OnEntry observer) { observers_.push_back(std::move(observer)); }

  private:
    struct Kept {
        Objects objects;
        std::deque<LogEntry> log;
        std::size_t log_bytes = 0;
        std::int64_t log_start = 0;  ///< what happened until then is not in the log
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
