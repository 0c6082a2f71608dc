#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "controller/commands/live_view/cluster_state.hpp"
#include "controller/commands/live_view/live_lines.hpp"
#include "controller/commands/live_view/terminal.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace sluice::commands {

/// Shows a cluster on the terminal as it is, until this object ends. It draws from a thread of its
/// own, a few times a second at most, and writes only what has changed.
class LiveView {
  public:
    struct Options {
        LiveTexts texts;       ///< the log lines are added
        std::string log_file;  ///< see Terminal::take()
        /// Reads the cluster if it has changed since that version, and moves the version on.
        /// Thread: the view's.
        std::function<std::optional<ClusterState>(std::int64_t& version)> read;
    };

    /// Errors: those of Terminal::take().
    static Result<std::unique_ptr<LiveView>> start(Options options, const Clock& clock);
    /// Gives the terminal back; what was logged meanwhile follows, if it is little.
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

  private:
    LiveView(Options options, const Clock& clock, std::unique_ptr<Terminal> terminal);
    void run();
    void tell_log() const;

    Options options_;
    const Clock& clock_;
    std::unique_ptr<Terminal> terminal_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

}  // namespace sluice::commands
