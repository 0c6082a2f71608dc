#include "metrics/process_usage.hpp"

#include "metrics/runtime_metrics.hpp"

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace sluice::metrics {

namespace {

/// Positions of fields in the line, counted from the field after the program's name.
constexpr std::size_t kUserTicks = 11;
constexpr std::size_t kSystemTicks = 12;
constexpr std::size_t kStartTicks = 19;
constexpr std::size_t kVirtualBytes = 20;
constexpr std::size_t kResidentPages = 21;

std::string read_line(const char* path, std::string_view beginning = {}) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(beginning)) {
            return line;
        }
    }
    return {};
}

std::optional<double> parse_number(std::string_view text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const auto end = text.find(' ');
        if (end != 0) {
            words.push_back(text.substr(0, end));
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return words;
}

/// Returns the time when the machine was booted, in seconds since 1970.
std::optional<double> boot_time() {
    constexpr std::string_view kBeginning = "btime ";
    const std::string line = read_line("/proc/stat", kBeginning);
    return line.empty() ? std::nullopt
                        : parse_number(std::string_view(line).substr(kBeginning.size()));
}

std::optional<double> count_open_files() {
    std::error_code failure;
    const std::filesystem::directory_iterator files("/proc/self/fd", failure);
    if (failure) {
        return std::nullopt;
    }
    return static_cast<double>(std::distance(begin(files), end(files)));
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(
    std::string_view line, double ticks_a_second, double page_bytes
) {
    // The program's name is in parentheses, and may contain blanks and parentheses.
    const auto name_end = line.rfind(") ");
    if (name_end == std::string_view::npos) {
        return std::nullopt;
    }
    const auto words = split(line.substr(name_end + 2));
    const auto number = [&words](std::size_t at) {
        return at < words.size() ? parse_number(words[at]) : std::nullopt;
    };
    const auto user = number(kUserTicks);
    const auto system = number(kSystemTicks);
    const auto start = number(kStartTicks);
    const auto virtual_bytes = number(kVirtualBytes);
    const auto resident_pages = number(kResidentPages);
    if (!user || !system || !start || !virtual_bytes || !resident_pages) {
        return std::nullopt;
    }
    return ProcessStat{
        .cpu_seconds = (*user + *system) / ticks_a_second,
        .started_after_boot_seconds = *start / ticks_a_second,
        .virtual_bytes = *virtual_bytes,
        .resident_bytes = *resident_pages * page_bytes,
    };
}

void report_process_usage(RuntimeMetrics& metrics) {
    const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
    const auto stat = parse_process_stat(read_line("/proc/self/stat"), ticks_a_second, page_bytes);
    if (stat) {
        metrics.process_cpu_seconds_total.raise_to({}, stat->cpu_seconds);
        metrics.process_virtual_memory_bytes.set({}, stat->virtual_bytes);
        metrics.process_resident_memory_bytes.set({}, stat->resident_bytes);
        if (const auto boot = boot_time()) {
            metrics.process_start_time_seconds.set({}, *boot + stat->started_after_boot_seconds);
        }
    }
    if (const auto open = count_open_files()) {
        metrics.process_open_fds.set({}, *open);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        metrics.process_max_fds.set({}, static_cast<double>(limit.rlim_cur));
    }
}

}  // namespace sluice::metrics
