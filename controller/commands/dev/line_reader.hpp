#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace sluice::commands {

/// Reads the lines of a file, a pipe or a terminal on a thread of its own, some of them ahead.
class LineReader {
  public:
    /// `on_news` is called on that thread when there is a line, and at the end.
    LineReader(int file, std::function<void()> on_news);
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    /// The next line without its end, if it has come. One that is longer than 4 KiB is cut.
    std::optional<std::string> take();
    /// Whether no line comes any more, and all were taken.
    bool is_over() const;

  private:
    void run();
    void add(std::string line);
    /// Whether the file can be read; false when this object ends.
    bool wait_readable() const;

    int file_;
    std::function<void()> on_news_;
    int wake_[2]{-1, -1};  ///< a pipe that is closed at the end
    mutable std::mutex mutex_;
    std::condition_variable taken_;
    std::deque<std::string> lines_;
    bool has_ended_ = false;
    bool is_stopped_ = false;
    std::thread thread_;
};

}  // namespace sluice::commands
