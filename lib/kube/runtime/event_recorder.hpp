// Turns notes about objects into events.k8s.io/v1 Events; equal notes become a series.
#pragma once

#include "api/core/event.hpp"
#include "base/clock.hpp"
#include "base/prng.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace sluice::kube {

enum class EventType : std::uint8_t { Normal, Warning };

/// A note to a user about an object, which becomes an Event.
struct EventNote {
    api::ObjectReference regarding;
    std::optional<api::ObjectReference> related = std::nullopt;
    EventType type = EventType::Normal;
    std::string reason;
    std::string action;  ///< if empty, the reason is used
    std::string note;    ///< at most 1024 bytes; a longer text is cut
    std::string reporting_controller;
};

struct EventRecorderOptions {
    std::string hostname;  ///< the reporting instance is `<controller>-<hostname>`
    /// A series ends when no equal note arrives for this long. Its count is written at most this
    /// often.
    Duration series_gap = std::chrono::minutes(6);
    std::size_t queue_max = 1000;   ///< events that wait to be written; the oldest are dropped
    std::size_t series_max = 5000;  ///< series kept; those not observed for longest are forgotten
};

/// Turns notes into events.k8s.io/v1 Events. Notes are equal if they have the same type, action,
/// reason, controller, regarding and related; equal notes within the gap become one Event with a
/// series. The first note creates the Event, the second starts the series with a patch, and later
/// notes are counted and written when the gap has passed. Pure: take() returns the next write.
class EventRecorder {
  public:
    enum class Verb : std::uint8_t {
        Create,
        PatchSeries,  ///< a merge patch of the Event's series
    };
    struct Write {
        Verb verb = Verb::Create;
        api::Event event;
    };

    EventRecorder(EventRecorderOptions options, std::uint64_t seed);

    /// Records a note. `wall` is the time that the Event shows.
    void record(const EventNote& note, Instant now, Time wall);
    /// Returns the next write of an Event that has no write in progress; nullopt if no such write
    /// waits. The writes of one Event are returned in order, so that its series follows its
    /// creation. Cost: in proportion to the skipped writes.
    std::optional<Write> take(const std::set<std::string>& names_under_way = {});
    /// Returns true if a write waits to be taken.
    bool has_waiting() const { return !queue_.empty(); }
    /// Queues the new counts of series, and forgets series without a note for the gap. Call it at
    /// next_due().
    void tick(Instant now);
    /// Returns when to call tick() and take_dropped(); nullopt if neither has anything to do.
    std::optional<Instant> next_due() const;
    /// Creates the Event again after a patch did not find it (the API server deletes events after
    /// an hour).
    void on_patch_not_found(const api::Event& event);
    /// The number of events that were dropped because the queue was full.
    std::uint64_t dropped() const { return dropped_; }
    /// Returns the number of events dropped since the last report. nullopt if no event was dropped,
    /// or if the last report is less than a minute ago.
    std::optional<std::uint64_t> take_dropped(Instant now);

  private:
    /// Digests of the fields that make notes equal, least recently observed first.
    using Uses = std::list<std::string>;
    /// A note that was recorded. Most events occur only once, so an entry is small until the
    /// second.
    struct Entry {
        std::string name;                    ///< of the Event
        Time first;                          ///< first observed at
        Instant last;                        ///< last observed at
        std::unique_ptr<api::Event> series;  ///< set from the second note on
        std::int32_t written = 1;            ///< the count that was written last
        Uses::iterator use;
    };

    api::Event make_event(const EventNote& note, std::string name, Time wall) const;
    void begin(std::string key, const EventNote& note, Instant now, Time wall);
    void forget(std::map<std::string, Entry>::iterator entry);
    void push(Write write);

    EventRecorderOptions options_;
    Prng prng_;
    std::map<std::string, Entry> series_;
    Uses uses_;
    std::deque<Write> queue_;
    std::optional<Instant> next_tick_;
    std::uint64_t dropped_ = 0;
    std::uint64_t dropped_reported_ = 0;
    std::optional<Instant> dropped_reported_at_;
};

/// Returns the merge patch that writes an Event's series.
std::string make_series_patch(const api::Event& event);

}  // namespace sluice::kube
