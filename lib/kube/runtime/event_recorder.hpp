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

/// Something worth telling a user about an object.
struct EventNote {
    api::ObjectReference regarding;
    std::optional<api::ObjectReference> related = std::nullopt;
    EventType type = EventType::Normal;
    std::string reason;
    std::string action;  ///< empty: the reason
    std::string note;    ///< at most 1024 bytes; longer ones are cut
    std::string reporting_controller;
};

struct EventRecorderOptions {
    std::string hostname;  ///< the reporting instance is `<controller>-<hostname>`
    Duration series_gap = std::chrono::minutes(6);
    std::size_t queue_max = 1000;   ///< events waiting to be written; the oldest give way
    std::size_t series_max = 5000;  ///< series remembered; the least recently seen are forgotten
};

/// Turns notes into events.k8s.io/v1 Events, of which equal ones (type, action, reason, controller,
/// regarding, related) within the gap become one Event with a series. The first is created, the
/// second starts the series with a patch, later ones are counted and told when the gap has passed.
/// Pure: take() gives the next write.
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

    /// `wall` is the time that the Event shows.
    void record(const EventNote& note, Instant now, Time wall);
    /// The next write of an Event that is not under way, or nothing. Writes of one Event are taken
    /// in order, so that its series follows its creation. Cost: in proportion to the writes before
    /// it whose Events are under way.
    std::optional<Write> take(const std::set<std::string>& names_under_way = {});
    /// Whether any write waits to be taken.
    bool has_waiting() const { return !queue_.empty(); }
    /// Tells the counts of series and forgets those that nothing was added to for the gap; call it
    /// at next_due().
    void tick(Instant now);
    /// When tick() or take_dropped() has something to do; nothing while neither ever will.
    std::optional<Instant> next_due() const;
    /// A patch found its Event gone (events live an hour): it is created anew.
    void on_patch_not_found(const api::Event& event);
    /// Events that were dropped because the queue was full.
    std::uint64_t dropped() const { return dropped_; }
    /// How many were dropped since this last told, which it does once a minute at most; nothing:
    /// none, or not yet.
    std::optional<std::uint64_t> take_dropped(Instant now);

  private:
    /// By digests of what makes notes equal, the least recently observed first.
    using Uses = std::list<std::string>;
    /// Most events come once, and are remembered by little.
    struct Entry {
        std::string name;                    ///< of the Event
        Time first;                          ///< when it was first observed
        Instant last;                        ///< when it was last observed
        std::unique_ptr<api::Event> series;  ///< from the second time on
        std::int32_t told = 1;               ///< the count that has been written
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
    std::uint64_t dropped_told_ = 0;
    std::optional<Instant> dropped_told_at_;
};

/// The merge patch that writes an Event's series.
std::string make_series_patch(const api::Event& event);

}  // namespace sluice::kube
