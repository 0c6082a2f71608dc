#include "controller/commands/dev/line_reader.hpp"

#include "base/assert.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace sluice::commands {

namespace {

constexpr std::size_t kAhead = 64;
constexpr std::size_t kLineMax = 4096;

}  // namespace

LineReader::LineReader(int file, std::function<void()> on_news)
    : file_(file), on_news_(std::move(on_news)) {
    SLUICE_ASSERT(::pipe2(wake_, O_CLOEXEC) == 0);
    thread_ = std::thread([this] { run(); });
}

LineReader::~LineReader() {
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    taken_.notify_all();
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
}

std::optional<std::string> LineReader::take() {
    const std::lock_guard lock(mutex_);
    if (lines_.empty()) {
        return std::nullopt;
    }
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    taken_.notify_all();
    return line;
}

bool LineReader::is_over() const {
    const std::lock_guard lock(mutex_);
    return has_ended_ && lines_.empty();
}

bool LineReader::wait_readable() const {
    std::array<pollfd, 2> waiting{
        pollfd{.fd = file_, .events = POLLIN, .revents = 0},
        pollfd{.fd = wake_[0], .events = POLLIN, .revents = 0}
    };
    while (::poll(waiting.data(), waiting.size(), -1) < 0 && errno == EINTR) {
    }
    return waiting[1].revents == 0;
}

void LineReader::add(std::string line) {
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [this] { return lines_.size() < kAhead || is_stopped_; });
    lines_.push_back(std::move(line));
    lock.unlock();
    on_news_();
}

void LineReader::run() {
    std::array<char, kLineMax> piece{};
    std::string line;
    while (wait_readable()) {
        const auto got = ::read(file_, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        for (const char letter : std::string_view(piece.data(), static_cast<std::size_t>(got))) {
            if (letter == '\n') {
                add(std::exchange(line, {}));
            } else if (line.size() < kLineMax) {
                line += letter;
            }
        }
    }
    if (!line.empty()) {
        add(std::move(line));
    }
    {
        const std::lock_guard lock(mutex_);
        has_ended_ = true;
    }
    on_news_();
}

}  // namespace sluice::commands
