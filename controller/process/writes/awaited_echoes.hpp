// Remembers writes until the stores show them.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/stores.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

/// Remembers writes until the stores show them. However late a watch is, an older state is never
/// taken for the present one: for a write that does not appear in time, the owner of this object
/// sends a GET (`take_overdue` names the object, `confirm` and `gone` take the answer), whose
/// answer may be all that there is to see.
class AwaitedEchoes {
  public:
    AwaitedEchoes(const Stores& stores, const Clock& clock) : stores_(stores), clock_(clock) {}

    /// The result of an accepted write.
    struct Written {
        std::string uid;
        std::uint64_t version = 0;  ///< 0: not known, any version will do
        bool is_end = false;        ///< the write deleted the object, or started its deletion
    };
    /// A question to the server whether the object is still as it was written.
    struct Question {
        ObjectKey object;
        std::uint64_t write = 0;  ///< the write in question; later writes are not confirmed
    };

    /// Marks the start of a write to the object; end() must be called once per begin().
    void begin(const ObjectKey& key);
    void end(const ObjectKey& key);
    /// Records a write that the server accepted.
    void expect(const ObjectKey& key, Written written);
    /// Returns true if no write is in progress and the store shows the last write or a newer state.
    bool is_settled(const ObjectKey& key) const;

    /// Returns an object whose watch event is late, the same one again only after another half a
    /// minute.
    std::optional<Question> take_overdue();
    /// Returns the time at which the next watch event will be late; nullopt if no write is awaited.
    /// Cost: amortized over the writes.
    std::optional<Instant> next_overdue();
    /// The state of the object on the server.
    struct Answer {
        std::string uid;
        std::uint64_t version = 0;
        bool is_ending = false;  ///< it is being deleted
    };
    /// Takes the answer that the server has the object. If it is older than the write, or not being
    /// deleted after a deletion, the server was restored from a backup, and no newer state will be
    /// seen.
    void confirm(const Question& question, const Answer& answer);
    /// Takes the answer that the server does not have the object: writes that the store never
    /// showed are no longer awaited.
    void gone(const Question& question);

  private:
    struct Awaited {
        Written written;
        std::uint64_t write = 0;
        bool was_stored = false;  ///< the store had it before: missing means deleted
        Instant overdue_at;
    };

    struct UnderWay {
        int writes = 0;
        std::string stored_uid;  ///< of the stored object when the write began, or ""
    };

    bool was_stored(const ObjectKey& key, const std::string& uid) const;
    bool is_seen(const ObjectKey& key, const Awaited& awaited) const;
    std::map<ObjectKey, Awaited>::iterator find_asked(const Question& question);
    void drop_settled();

    const Stores& stores_;
    const Clock& clock_;
    std::uint64_t writes_ = 0;
    std::map<ObjectKey, UnderWay> under_way_;
    mutable std::map<ObjectKey, Awaited> awaited_;  ///< erased once seen
    std::set<std::pair<Instant, ObjectKey>>
        overdue_;  ///< may also contain writes that were seen or replaced since
};

/// Returns a resource version as a number, which orders the versions of one kind; 0 if it is not a
/// number.
std::uint64_t version_number(std::string_view resource_version);

}  // namespace sluice::controller
