// Records all that reaches an engine's state, and the hashes of its decisions.
#pragma once

#include "engine/driver/driver.hpp"
#include "engine/state/state.hpp"
#include "journal/segment_writer.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::journal {

/// Work of a journal since its begin.
struct JournalCounts {
    std::uint64_t bytes = 0;  ///< written, compressed
    std::uint64_t gaps = 0;   ///< times that recording stopped for want of room
    bool is_recording = false;
};

/// Records what reaches the state of a driver into segments of a folder. Each segment begins with
/// the whole state. Recording never waits for the disk: if the queue of the writing thread is full,
/// or a write fails, recording stops, and a new segment begins when there is room. Thread: that of
/// the driver.
class Journal final : public engine::DriverObserver {
  public:
    /// *Lifetime*: the state outlives the journal.
    Journal(const engine::State& state, SegmentOptions options);
    ~Journal() override;

    void on_event(const engine::Event& event, engine::Time now) override;
    void on_clock_step(engine::Duration by, engine::Time now) override;
    void on_cycle(const engine::State& state, const engine::CycleResult& result, engine::Time now)
        override;
    /// Returns once all that was recorded is written, or cannot be written.
    void flush() { writer_.flush(); }

    JournalCounts counts() const;

  private:
    /// Begins a segment if none is open or the open one is full. Returns false if that is not
    /// possible now.
    bool is_open(engine::Time now);
    void begin(engine::Time now);
    void append(std::string_view line);

    const engine::State& state_;
    SegmentOptions options_;
    SegmentWriter writer_;
    std::uint64_t number_ = 0;  // of the last entry
    std::uint64_t gaps_ = 0;
    std::optional<engine::Time> failed_at_;
    bool is_recording_ = false;
};

}  // namespace sluice::journal
