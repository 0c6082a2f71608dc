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

/// An Event that is to be there, new or in place of what was written before.
struct RecordedEvent {
    std::string name;
    std::string message;
    std::int64_t count = 1;  ///< above 1: it is there already
    Time first{};
};

/// Decides which events on objects are written, as the client library of Kubernetes' controllers
/// does: the same one again is counted; of more than nine of a reason in ten minutes the others
/// become one; and of an object 25 are written at once, then one in five minutes.
class EventRecorder {
  public:
    /// Nothing: too many were told of the object. `object`: all that tells it from others, its name
    /// at first.
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
    /// So many events are remembered whatever their age.
    static constexpr std::size_t kRemembered = 4096;
    std::size_t forget_at_ = kRemembered;
};

}  // namespace sluice::sim
