#include "controller/commands/live_view/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace sluice::commands {

namespace {

/// Switches to the alternate screen, without cursor and line wrapping; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::size_t kPieceMax = 256;
constexpr int kPatience = 200;  // ms
constexpr std::array kDeadly{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGQUIT};
constexpr int kWritePatience = 50;  // ms

// State that signal handlers use.
std::atomic<bool> is_taken{false};
std::atomic<bool> must_redraw{false};
std::atomic<bool> is_writing{false};
std::atomic<int> error_before{-1};
termios mode_before{};
termios mode_of_view{};
std::atomic<bool> has_mode{false};

void write_now(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return;
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

void enter() {
    if (has_mode) {
        ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_of_view);
    }
    write_now(kEnter);
    must_redraw = true;
}

void leave() {
    write_now(kLeave);
    if (has_mode) {
        ::tcsetattr(STDIN_FILENO, TCSANOW, &mode_before);
    }
}

/// Waits for a write in progress. Nothing is drawn after this returns, unless a signal interrupted
/// a write of this very thread.
void stop_drawing() {
    for (int i = 0; i < kWritePatience && is_writing; ++i) {
        ::poll(nullptr, 0, 1);
    }
}

void on_death(int number) {
    if (is_taken.exchange(false)) {
        stop_drawing();
        leave();
        const int error = error_before.exchange(-1);
        if (error >= 0) {
            ::dup2(error, STDERR_FILENO);
        }
    }
    ::signal(number, SIG_DFL);
    ::raise(number);
}

void on_suspend(int) {
    const int kept = errno;
    leave();
    ::kill(::getpid(), SIGSTOP);
    // SIGCONT resumes the process here.
    enter();
    errno = kept;
}

void set_handlers(void (*death)(int), void (*suspend)(int)) {
    struct sigaction action{};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    action.sa_handler = death;
    for (const int number : kDeadly) {
        ::sigaction(number, &action, nullptr);
    }
    action.sa_handler = suspend;
    ::sigaction(SIGTSTP, &action, nullptr);
}

/// Turns echo off, so that keys do not appear in the view.
void prepare_mode() {
    has_mode = ::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &mode_before) == 0;
    if (has_mode) {
        mode_of_view = mode_before;
        mode_of_view.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    }
}

std::size_t number_of(const char* variable) {
    const char* text = std::getenv(variable);
    std::size_t number = 0;
    if (text != nullptr) {
        std::from_chars(text, text + std::strlen(text), number);
    }
    return number;
}

bool speaks_utf8() {
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* text = std::getenv(variable);
        if (text != nullptr && *text != '\0') {
            const std::string_view locale(text);
            return locale.find("UTF-8") != std::string_view::npos ||
                   locale.find("utf8") != std::string_view::npos;
        }
    }
    return false;
}

bool is_set(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0';
}

}  // namespace

bool Terminal::can_draw() {
    const char* term = std::getenv("TERM");
    const bool is_dumb = term == nullptr || *term == '\0' || std::strcmp(term, "dumb") == 0;
    // A background process would be stopped when it changes the terminal's mode.
    return !is_dumb && ::isatty(STDOUT_FILENO) == 1 && ::tcgetpgrp(STDOUT_FILENO) == ::getpgrp();
}

Result<std::unique_ptr<Terminal>> Terminal::take(const std::string& log_file) {
    std::unique_ptr<Terminal> terminal(new Terminal());
    if (::isatty(STDERR_FILENO) == 1) {
        const int log = ::open(
            log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR
        );
        if (log < 0) {
            return make_invalid(
                fmt::format("{} cannot be written: {}", log_file, std::strerror(errno))
            );
        }
        terminal->kept_error_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        ::dup2(log, STDERR_FILENO);
        ::close(log);
        error_before = terminal->kept_error_;
    }
    prepare_mode();
    is_taken = true;
    set_handlers(on_death, on_suspend);
    enter();
    return terminal;
}

void Terminal::die(int number) {
    on_death(number);
}

Terminal::~Terminal() {
    if (is_taken) {
        leave();
    }
    // Cleared only now: a signal before this point restores the terminal a second time, which is
    // harmless.
    is_taken = false;
    set_handlers(SIG_DFL, SIG_DFL);
    error_before = -1;
    if (kept_error_ >= 0) {
        ::dup2(kept_error_, STDERR_FILENO);
        ::close(kept_error_);
    }
}

Window Terminal::window() const {
    winsize size{};
    ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    Window window;
    const std::size_t columns = size.ws_col > 0 ? size.ws_col : number_of("COLUMNS");
    const std::size_t rows = size.ws_row > 0 ? size.ws_row : number_of("LINES");
    window.columns = columns > 0 ? columns : window.columns;
    window.rows = rows > 0 ? rows : window.rows;
    window.has_color = !is_set("NO_COLOR");
    window.has_unicode = speaks_utf8();
    return window;
}

void Terminal::draw(
    const std::vector<std::string>& lines, const Window& window, const std::atomic<bool>& is_over
) {
    std::string text;
    if (must_redraw.exchange(false) || window != shown_window_) {
        text += "\x1b[2J";
        shown_.clear();
        shown_window_ = window;
    }
    shown_.resize(window.rows);
    for (std::size_t row = 0; row < window.rows; ++row) {
        const std::string line = row < lines.size() ? lines[row] : std::string();
        if (line != shown_[row]) {
            text += fmt::format("\x1b[{};1H{}\x1b[K", row + 1, line);
            shown_[row] = line;
        }
    }
    // A terminal that is paused (Ctrl-S) must not block the process.
    std::string_view left = text;
    while (!left.empty() && !is_over) {
        pollfd waiting{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
        if (::poll(&waiting, 1, kPatience) <= 0) {
            continue;
        }
        is_writing = true;
        const auto written =
            is_taken ? ::write(STDOUT_FILENO, left.data(), std::min(left.size(), kPieceMax)) : -1;
        const int failure = is_taken ? errno : EPIPE;
        is_writing = false;
        if (written < 0 && failure != EINTR && failure != EAGAIN) {
            return;
        }
        left.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

}  // namespace sluice::commands
