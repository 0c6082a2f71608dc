#pragma once

#include "apiserver/selectors.hpp"
#include "apiserver/server_options.hpp"
#include "base/error.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

/// An object as it is kept: JSON text, and beside it what is asked of it without reading that.
struct Stored {
    std::string namespace_;
    std::string name;
    std::string uid;
    std::uint64_t resource_version = 0;
    std::string version;  ///< of the API, in which `body` is
    /// The object's JSON without its first brace, apiVersion and kind: `"metadata":{…},…}`.
    std::string body;
    SortedPairs labels;
    SortedPairs fields;               ///< what field selectors may ask for
    std::vector<std::string> owners;  ///< their uids
    bool is_deleting = false;
    /// The body in other versions that a webhook converted it to. Filled in when asked for.
    mutable std::map<std::string, std::shared_ptr<const std::string>, std::less<>> converted;

    /// NAMESPACE/NAME, or NAME without a namespace: the order of lists.
    std::string key() const { return make_key(namespace_, name); }
    static std::string make_key(std::string_view namespace_, std::string_view name);
};
using StoredPtr = std::shared_ptr<const Stored>;

/// A write, as watches see it.
struct StoreEvent {
    enum class Type : std::uint8_t { Added, Modified, Deleted };
    Type type = Type::Added;
    std::uint64_t resource_version = 0;
    StoredPtr object;    ///< after the write; of a deletion the last state at its resourceVersion
    StoredPtr previous;  ///< before the write; nullptr: there was none
};

/// The objects of one resource, of all namespaces, and its recent writes. What watches it must not
/// outlive it.
class Collection {
  public:
    using Objects = std::map<std::string, StoredPtr, std::less<>>;

    explicit Collection(const HistoryLimits& limits) : limits_(limits) {}
    Collection(const Collection&) = delete;
    Collection& operator=(const Collection&) = delete;
    ~Collection() = default;

    const Objects& objects() const { return objects_; }
    /// nullptr: there is none.
    StoredPtr find(std::string_view namespace_, std::string_view name) const;

    /// The objects from a key on as they were at an older resourceVersion. Errors: Gone when that
    /// is forgotten.
    Result<Objects> snapshot(std::uint64_t version, std::string_view from_key) const;

    /// The number of the next event to come, and of the oldest that is kept.
    std::uint64_t end_sequence() const { return first_sequence_ + log_.size(); }
    std::uint64_t first_sequence() const { return first_sequence_; }
    /// Requires: it is kept.
    const StoreEvent& event(std::uint64_t sequence) const {
        return log_[static_cast<std::size_t>(sequence - first_sequence_)];
    }
    /// The first event after that resourceVersion; none: it may have been forgotten.
    std::optional<std::uint64_t> sequence_after(std::uint64_t version) const;
    /// The oldest resourceVersion that all later events are known of.
    std::uint64_t compacted_version() const { return compacted_version_; }

    /// Calls the function once, at the next event or when the collection is closed; an id by which
    /// it is forgotten.
    std::uint64_t call_on_event(std::function<void()> function);
    void forget(std::uint64_t id) { waiting_.erase(id); }
    /// Whether the resource is not served any more.
    bool is_closed() const { return is_closed_; }

  private:
    friend class Store;
    void apply(StoreEvent event);
    void forget_before(std::uint64_t version);
    void drop_front();
    void wake();

    HistoryLimits limits_;
    Objects objects_;
    std::deque<StoreEvent> log_;
    std::size_t log_bytes_ = 0;
    std::uint64_t first_sequence_ = 0;
    std::uint64_t compacted_version_ = 0;
    std::uint64_t next_waiting_ = 0;
    std::map<std::uint64_t, std::function<void()>> waiting_;
    bool is_closed_ = false;
};

/// Where an object is.
struct Place {
    std::string resource;  ///< PLURAL.GROUP
    std::string key;
    friend auto operator<=>(const Place&, const Place&) = default;
};

/// All objects, with one sequence of resourceVersions, and who owns whom.
class Store {
  public:
    explicit Store(const HistoryLimits& limits) : limits_(limits) {}

    std::uint64_t version() const { return version_; }
    /// A resourceVersion for the write that follows at once.
    std::uint64_t take_version() { return ++version_; }

    /// The collection of PLURAL.GROUP, made when it is first asked for.
    std::shared_ptr<Collection> collection(const std::string& resource);
    /// Of a resource that is not served any more: its watches end.
    void close(const std::string& resource);

    /// Adds or replaces an object.
    void put(const std::string& resource, StoredPtr object);
    /// Removes an object; `last` is its last state at the deletion's resourceVersion.
    void remove(const std::string& resource, StoredPtr last);
    /// Puts another text in the place of an object's, as if it had always been so.
    void rewrite(const std::string& resource, StoredPtr object);

    /// Where the object of that uid is; nullptr: nowhere.
    const Place* find_uid(std::string_view uid) const;
    /// The objects that name that uid as an owner.
    std::vector<Place> dependents(std::string_view owner_uid) const;
    StoredPtr find(const Place& place) const;

    /// Forgets the history up to that resourceVersion.
    void compact(std::uint64_t version);

  private:
    void index(const std::string& resource, const Stored& object);
    void unindex(const std::string& resource, const Stored& object);

    HistoryLimits limits_;
    std::uint64_t version_ = 1;
    std::map<std::string, std::shared_ptr<Collection>, std::less<>> collections_;
    std::map<std::string, Place, std::less<>> by_uid_;
    std::map<std::string, std::set<Place>, std::less<>> dependents_;
};

}  // namespace sluice::apiserver
