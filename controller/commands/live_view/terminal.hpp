// The terminal of standard output, taken over by a view and restored at any end of the process.
#pragma once

#include "base/error.hpp"
#include "controller/commands/live_view/live_lines.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace sluice::commands {

/// The terminal of standard output, taken over for a view that is redrawn in place. Its previous
/// content is restored when this object is destroyed, when the process is suspended, and when it
/// dies of a fault, of a signal or by die(). At most one object may exist. Requires: a handler of
/// SIGINT and SIGTERM calls die().
class Terminal {
  public:
    /// Returns true if standard output is a terminal that can be drawn on, with this process in the
    /// foreground.
    static bool can_draw();
    /// Takes over the terminal. If standard error is a terminal, it is redirected to the log file,
    /// which is truncated first. Errors: Invalid if the file cannot be written.
    static Result<std::unique_ptr<Terminal>> take(const std::string& log_file);
    /// Restores the terminal and ends the process as that signal does by default.
    static void die(int number);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Returns the current size of the terminal, and its abilities.
    Window window() const;
    /// Writes the lines that differ from the shown ones. If the terminal does not accept output, it
    /// gives up once `is_over` is set.
    void draw(
        const std::vector<std::string>& lines,
        const Window& window,
        const std::atomic<bool>& is_over
    );
    /// Returns true if standard error is redirected to the log file.
    bool has_log() const { return kept_error_ >= 0; }

  private:
    Terminal() = default;

    int kept_error_ = -1;  ///< the previous standard error; -1 if it was not redirected
    std::vector<std::string> shown_;
    Window shown_window_;
};

}  // namespace sluice::commands
