#include "controller/commands/live_view/live_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

constexpr auto kDrawEvery = std::chrono::milliseconds(250);
/// Reading takes at most one part in kReadShare of the time.
constexpr int kReadShare = 20;
constexpr std::size_t kTailMax = 4096;
constexpr std::size_t kTailLines = 3;

/// Returns the last lines of a file.
std::vector<std::string> read_tail(const std::string& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) {
        return {};
    }
    const auto size = static_cast<std::size_t>(in.tellg());
    in.seekg(static_cast<std::streamoff>(size - std::min(size, kTailMax)));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string> lines;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        lines.push_back(text.substr(start, end - start));
        start = end + 1;
    }
    if (lines.size() > kTailLines) {
        lines.erase(lines.begin(), lines.end() - kTailLines);
    }
    return lines;
}

}  // namespace

Result<std::unique_ptr<LiveView>> LiveView::start(Options options, const Clock& clock) {
    auto terminal = Terminal::take(options.log_file);
    if (!terminal) {
        return terminal.error();
    }
    return std::unique_ptr<LiveView>(new LiveView(std::move(options), clock, std::move(*terminal)));
}

LiveView::LiveView(Options options, const Clock& clock, std::unique_ptr<Terminal> terminal)
    : options_(std::move(options)),
      clock_(clock),
      terminal_(std::move(terminal)),
      thread_([this] { run(); }) {}

LiveView::~LiveView() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    stopped_.notify_all();
    thread_.join();
    const bool has_log = terminal_->has_log();
    terminal_.reset();
    if (has_log) {
        print_log();
    }
}

void LiveView::run() {
    std::int64_t version = -1;
    ClusterState state;
    Instant read_again{};
    for (;;) {
        const Instant begun = clock_.instant();
        if (begun >= read_again) {
            if (auto read = options_.read(version)) {
                state = std::move(*read);
            }
            const Instant done = clock_.instant();
            read_again = done + (done - begun) * kReadShare;
        }
        if (terminal_->has_log()) {
            options_.texts.log = read_tail(options_.log_file);
        }
        const Window window = terminal_->window();
        terminal_->draw(
            draw_live_view(state, options_.texts, clock_.now(), window), window, is_over_
        );
        std::unique_lock lock(mutex_);
        if (stopped_.wait_for(lock, kDrawEvery, [this] { return is_over_.load(); })) {
            return;
        }
    }
}

void LiveView::print_log() const {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(options_.log_file, ignored);
    if (size == 0) {
        std::filesystem::remove(options_.log_file, ignored);
        return;
    }
    for (const std::string& line : read_tail(options_.log_file)) {
        fmt::print(stderr, "{}\n", line);
    }
    fmt::print(stderr, "the log is in {}\n", options_.log_file);
}

}  // namespace sluice::commands
