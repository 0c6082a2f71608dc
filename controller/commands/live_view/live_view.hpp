// Live table of the cluster that `sluice dev` shows in a terminal.
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

/// Shows the current state of a cluster in the terminal while this object exists. It draws from its
/// own thread, at most four times a second, and writes only the lines that have changed.
class LiveView {
  public:
    struct Options {
        LiveTexts texts;       ///< without log lines, which the view adds
        std::string log_file;  ///< see Terminal::take()
        /// Returns the state if it has changed since `version`, and updates `version`. Thread: the
        /// view's.
        std::function<std::optional<ClusterState>(std::int64_t& version)> read;
    };

    /// Takes over the terminal. Errors: those of Terminal::take().
    static Result<std::unique_ptr<LiveView>> start(Options options, const Clock& clock);
    /// Restores the terminal and prints the end of the log.
    ~LiveView();
    LiveView(const LiveView&) = delete;
    LiveView& operator=(const LiveView&) = delete;

  private:
    LiveView(Options options, const Clock& clock, std::unique_ptr<Terminal> terminal);
    void run();
    void print_log() const;

    Options options_;
    const Clock& clock_;
    std::unique_ptr<Terminal> terminal_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    std::atomic<bool> is_over_{false};
    std::thread thread_;
};

}  // namespace sluice::commands
