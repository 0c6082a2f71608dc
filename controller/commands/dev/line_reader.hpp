// Reads lines of standard input in a thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace sluice::commands {

/// Reads the lines of a file, a pipe or a terminal in its own thread, up to 64 lines ahead.
class LineReader {
  public:
    /// Calls `on_news` on that thread for each line and at the end of the file.
    LineReader(int file, std::function<void()> on_news);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    /// Returns the next line without its line break; nullopt if none has been read yet. Lines
    /// longer than 4 KiB are cut.
    std::optional<std::string> take();
    /// Returns true if the file has ended and all lines were taken.
    bool is_over() const;

  private:
    void run();
    void add(std::string line);
    /// Waits until the file can be read; returns false when this object is destroyed.
    bool wait_readable() const;

    int file_;
    std::function<void()> on_news_;
    int wake_[2]{-1, -1};  ///< a pipe that is closed by the destructor
    mutable std::mutex mutex_;
    std::condition_variable taken_;
    std::deque<std::string> lines_;
    bool has_ended_ = false;
    bool is_stopped_ = false;
    std::thread thread_;
};

}  // namespace sluice::commands
