#pragma once

#include "base/error.hpp"
#include "controller/commands/live_view/live_lines.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace sluice::commands {

/// The terminal of standard output, taken over for a view that is redrawn in place. What was on it
/// comes back with the end of this object, and when the process dies of a fault, of a signal or by
/// die(), or is suspended. There is one at a time. Requires: SIGINT and SIGTERM are taken by one
/// who calls die().
class Terminal {
  public:
    /// Whether there is one that can be drawn on, with this process in its foreground.
    static bool can_draw();
    /// Takes it. Lines of standard error that would go to the same terminal are appended to the
    /// file, which is made new. Errors: Invalid when the file cannot be written.
    static Result<std::unique_ptr<Terminal>> take(const std::string& log_file);
    /// Ends the process as that signal does by default, with the terminal as it was.
    static void die(int number);
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// Its size now, and what it can show.
    Window window() const;
    /// Writes the lines that differ from those that are there. Gives up while nobody reads, once
    /// `is_over`.
    void draw(
        const std::vector<std::string>& lines,
        const Window& window,
        const std::atomic<bool>& is_over
    );
    /// Whether standard error goes to the file.
    bool has_log() const { return kept_error_ >= 0; }

  private:
    Terminal() = default;

    int kept_error_ = -1;  ///< where standard error went before
    std::vector<std::string> shown_;
    Window shown_window_;
};

}  // namespace sluice::commands
