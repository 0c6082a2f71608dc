// Writes the segments of a journal in a thread of its own.
#pragma once

#include "base/clock.hpp"
#include "engine/state/state.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace sluice::journal {

struct SegmentOptions {
    std::string folder;                                     ///< exists
    std::uint64_t folder_bytes = std::uint64_t{2} << 30;    ///< the oldest segments are deleted
    std::uint64_t segment_bytes = std::uint64_t{64} << 20;  ///< compressed
    std::size_t queue_bytes = std::size_t{64} << 20;        ///< waiting to be written
    std::string build;                                      ///< version of the program
    bool full = false;  ///< whole decisions are written, not only their hashes
};

/// Writes segments: files of zstd frames with lines of JSON. The first lines of a segment are its
/// header and the state at its begin. Thread: the calls come from one thread.
class SegmentWriter {
  public:
    explicit SegmentWriter(const SegmentOptions& options);
    /// Writes what is queued.
    ~SegmentWriter();
    SegmentWriter(const SegmentWriter&) = delete;
    SegmentWriter& operator=(const SegmentWriter&) = delete;

    /// Begins a segment with that state. Returns false if the queue is not empty after a failure.
    bool begin(Time now, engine::State state);
    /// Queues a line. Returns false if the queue is full: the segment has ended.
    bool append(std::string_view line);
    /// Returns true if a write failed since the segment began: the segment has ended.
    bool has_failed() const { return has_failed_; }
    /// Returns true if another segment should begin. A segment holds as many bytes of entries as of
    /// its state, so that a large state is not written at each entry.
    bool is_full() const { return segment_bytes_ >= segment_limit_; }
    /// Returns the bytes written so far.
    std::uint64_t bytes() const { return bytes_; }
    void flush();

  private:
    /// A segment to begin, or lines to write.
    struct Item {
        std::optional<engine::State> state;
        Time begin;
        std::string lines;
    };
    void run();
    void write(Item item);
    bool open(Time begin);
    void write_frame(std::string_view text);
    void delete_oldest() const;
    struct Close {
        void operator()(std::FILE* file) const;
    };

    const SegmentOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> queue_;
    std::size_t queued_bytes_ = 0;
    bool is_idle_ = true;  // nothing is being written
    bool ends_ = false;
    bool hurries_ = false;  // flush() waits
    std::atomic<bool> has_failed_ = false;
    std::atomic<std::uint64_t> segment_bytes_ = 0;
    std::atomic<std::uint64_t> segment_limit_;
    std::atomic<std::uint64_t> bytes_ = 0;
    std::unique_ptr<std::FILE, Close> file_;  // used by the thread
    std::uint64_t segments_ = 0;              // used by the thread
    std::thread thread_;
};

}  // namespace sluice::journal
