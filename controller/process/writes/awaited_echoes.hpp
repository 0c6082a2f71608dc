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

/// Remembers what was written until the stores show it. However late a watch is, an older state is
/// never taken for the present one: what does not show in time is asked for by a GET
/// (`take_overdue` names it, `confirm` and `gone` take the answer), and the answer may be all that
/// there is to see.
class AwaitedEchoes {
  public:
    AwaitedEchoes(const Stores& stores, const Clock& clock) : stores_(stores), clock_(clock) {}

    /// What an accepted write left behind.
    struct Written {
        std::string uid;
        std::uint64_t version = 0;  ///< 0: not known, any will do
        bool is_end = false;        ///< the object is gone or going by this write
    };
    /// A question to the server whether the object is still as it was written.
    struct Question {
        ObjectKey object;
        std::uint64_t write = 0;  ///< which one is asked about; a later one is not confirmed by it
    };

    /// A write to the object is under way, until as many calls of `end`.
    void begin(const ObjectKey& key);
    void end(const ObjectKey& key);
    /// The server accepted a write to the object.
    void expect(const ObjectKey& key, Written written);
    /// Nothing is under way, and the store shows what the last write left or something newer.
    bool is_settled(const ObjectKey& key) const;

    /// An object whose echo is late by now; the same again only when another half a minute passed.
    std::optional<Question> take_overdue();
    /// When the next echo will be late; none: none is awaited. Cost: amortized by what was written.
    std::optional<Instant> next_overdue();
    /// The object as the server has it now.
    struct Answer {
        std::string uid;
        std::uint64_t version = 0;
        bool is_ending = false;  ///< it is being deleted
    };
    /// The server has the object. Where it is older than what was written, or an end is not in it,
    /// the server's history was put back (from a backup), and that is the newest that will be seen.
    void confirm(const Question& question, const Answer& answer);
    /// The server has no such object. What the store never showed is not waited for any more.
    void gone(const Question& question);

  private:
    struct Awaited {
        Written written;
        std::uint64_t write = 0;
        bool was_stored = false;  ///< the store had it before: absent means deleted
        Instant overdue_at;
    };

    struct UnderWay {
        int writes = 0;
        std::string stored_uid;  ///< of the object that the store had last when one began, or ""
    };

    bool was_stored(const ObjectKey& key, const std::string& uid) const;
    bool is_seen(const ObjectKey& key, const Awaited& awaited) const;
    std::map<ObjectKey, Awaited>::iterator find_asked(const Question& question);
    void drop_settled();

    const Stores& stores_;
    const Clock& clock_;
    std::uint64_t writes_ = 0;
    std::map<ObjectKey, UnderWay> under_way_;
    mutable std::map<ObjectKey, Awaited> awaited_;  ///< forgotten once seen
    std::set<std::pair<Instant, ObjectKey>>
        overdue_;  ///< also of what was seen or written anew since
};

/// Resource versions of one kind are ordered as numbers; 0 for what is none.
std::uint64_t version_number(std::string_view resource_version);

}  // namespace sluice::controller
