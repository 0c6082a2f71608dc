// Decides which events are written, counted or combined, like Kubernetes' client library.
#pragma once

#include "base/clock.hpp"
#include "sim/objects/write.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace sluice::sim {

/// An Event to write, either a new one or in place of an earlier one.
struct RecordedEvent {
    std::string name;
    std::string message;
    std::int64_t count = 1;  ///< above 1: the Event exists already
    Time first{};
};

/// Decides which events on objects are written, like the client library of Kubernetes' controllers.
/// A repeated event is counted. Beyond nine events of one reason in ten minutes, further ones are
/// combined into one. An object may have 25 events at once, then one more every five minutes.
class EventRecorder {
  public:
    /// Returns the Event to write; nullopt if the object has too many events. `object`: a text that
    /// identifies the object. `name`: the object's name, the beginning of the Event's name.
    std::optional<RecordedEvent> record(
        const std::string& object, std::string_view name, const Note& note, Time now
    );

  private:
    struct Budget {
        double left = 0;
        Time last{};
    };
    struct Similar {
        std::set<std::string> messages;
        Time last{};
    };
    struct Known {
        RecordedEvent event;
        Time last{};
    };

    bool has_budget(const std::string& object, Time now);
    bool is_one_of_many(const std::string& kind, const std::string& message, Time now);
    void forget(Time now);

    std::map<std::string, Budget> budgets_;
    std::map<std::string, Similar> similar_;
    std::map<std::string, Known> known_;
    std::uint64_t events_ = 0;
    /// This number of events is remembered, regardless of their age.
    static constexpr std::size_t kRemembered = 4096;
    std::size_t forget_at_ = kRemembered;
};

}  // namespace sluice::sim
