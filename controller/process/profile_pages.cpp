#include "controller/process/profile_pages.hpp"

#include "net/loop/event_loop.hpp"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <gperftools/profiler.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::int64_t kDefaultSeconds = 30;
constexpr std::int64_t kSecondsMax = 3600;
constexpr int kFailed = 500;

constexpr const char* kIndex =
    "/debug/pprof/\n\n"
    "cmdline: the command line of the program, separated by NUL\n"
    "profile: CPU profile of all threads; ?seconds= is its duration (default: 30)\n\n"
    "go tool pprof PROGRAM http://ADDRESS/debug/pprof/profile\n";

/// A file in memory: the profiler writes to a path, and a container may have no writable folder.
class MemoryFile {
  public:
    MemoryFile() : descriptor_(::memfd_create("profile", MFD_CLOEXEC)) {}
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  private:
    int descriptor_ = -1;
};

std::string read_all(const std::string& path) {
    const std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

/// Profiles the process while it exists; is_on() is false if another profile is running.
class Counting {
  public:
    explicit Counting(const std::string& path) : is_on_(::ProfilerStart(path.c_str()) != 0) {}
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    ~Counting() { stop(); }
    bool is_on() const { return is_on_; }
    void stop() {
        if (std::exchange(is_on_, false)) {
            ::ProfilerStop();
        }
    }

  private:
    bool is_on_;
};

/// Parses the duration as Go does: a value that is not a positive number means the default.
std::int64_t parse_seconds(const std::string& text) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return is_number && seconds > 0 ? seconds : kDefaultSeconds;
}

class ProfileHandler final : public net::HttpHandler {
  public:
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        const std::int64_t seconds = parse_seconds(request.query("seconds"));
        if (seconds > kSecondsMax) {
            co_return net::ServerResponse{
                .status = 400,
                .body = fmt::format("a profile takes at most {} seconds\n", kSecondsMax)
            };
        }
        const MemoryFile file;
        Counting counting(file.path());
        if (!counting.is_on()) {
            co_return net::ServerResponse{
                .status = kFailed,
                .body = "Could not enable CPU profiling: another profile is being made\n"
            };
        }
        const bool waited = co_await net::pause_for(std::chrono::seconds(seconds));
        counting.stop();
        if (!waited) {
            co_return net::ServerResponse{.status = kFailed, .body = "the program ends\n"};
        }
        net::ServerResponse response;
        response.content_type = "application/octet-stream";
        response.headers.push_back({"Content-Disposition", "attachment; filename=\"profile\""});
        response.body = read_all(file.path());
        co_return response;
    }
};

}  // namespace

std::shared_ptr<serving::PathTable> make_profile_pages() {
    auto table = std::make_shared<serving::PathTable>();
    table->add_page("/debug/pprof/", [] {
        return net::ServerResponse{.status = 200, .body = kIndex};
    });
    table->add_page("/debug/pprof/cmdline", [] {
        std::string words = read_all("/proc/self/cmdline");
        if (words.ends_with('\0')) {
            words.pop_back();
        }
        return net::ServerResponse{.status = 200, .body = std::move(words)};
    });
    table->add(
        "/debug/pprof/profile", {.methods = {"GET"}, .handler = std::make_shared<ProfileHandler>()}
    );
    return table;
}

}  // namespace sluice::controller
