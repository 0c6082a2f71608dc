#include "journal/journal.hpp"

#include "base/log.hpp"
#include "journal/decision_digest.hpp"
#include "journal/event_codec.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace sluice::journal {
namespace {

/// On a full disk, each attempt costs a fork and two lines of the log.
constexpr engine::Duration kRetry = std::chrono::seconds(10);

}  // namespace

Journal::Journal(const engine::State& state, SegmentOptions options)
    : state_(state), options_(std::move(options)), writer_(options_) {}

Journal::~Journal() = default;

JournalCounts Journal::counts() const {
    return {.bytes = writer_.bytes(), .gaps = gaps_, .is_recording = is_recording_};
}

bool Journal::is_open(engine::Time now) {
    if (is_recording_ && writer_.has_failed()) {
        is_recording_ = false;
        ++gaps_;
        failed_at_ = now;
        log::error("journal has a gap", {{"gaps", gaps_}});
    }
    // The clock may have been stepped back since.
    if (!is_recording_ && failed_at_ && now >= *failed_at_ && now < *failed_at_ + kRetry) {
        return false;
    }
    if (!is_recording_ || writer_.is_full()) {
        begin(now);
    }
    return is_recording_;
}

void Journal::begin(engine::Time now) {
    is_recording_ = writer_.begin(now, state_.fork());
}

void Journal::append(std::string_view line) {
    ++number_;
    // The next entry begins a new segment if this one has no room.
    writer_.append(line);
}

void Journal::on_event(const engine::Event& event, engine::Time now) {
    if (!is_open(now)) {
        return;
    }
    std::string line =
        fmt::format(R"({{"n":{},"t":{},"e":)", number_ + 1, now.time_since_epoch().count());
    append_event(event, line);
    line += '}';
    append(line);
}

void Journal::on_clock_step(engine::Duration by, engine::Time now) {
    if (is_open(now)) {
        append(fmt::format(
            R"({{"n":{},"t":{},"clock":{}}})",
            number_ + 1,
            now.time_since_epoch().count(),
            by.count()
        ));
    }
}

void Journal::on_cycle(
    const engine::State& state, const engine::CycleResult& result, engine::Time now
) {
    // A segment that begins now has the state after the cycle.
    if (!is_recording_ || writer_.has_failed()) {
        is_open(now);
        return;
    }
    std::string line = fmt::format(
        R"({{"n":{},"t":{},"cycle":{},"d":"{:016x}")",
        number_ + 1,
        now.time_since_epoch().count(),
        result.cycle,
        digest_of(state, result)
    );
    if (options_.full) {
        line += R"(,"full":)";
        json::append_quoted(line, print_decisions(state, result));
    }
    line += '}';
    append(line);
}

}  // namespace sluice::journal
