#pragma once

#include <optional>
#include <string_view>

namespace sluice::metrics {

struct RuntimeMetrics;

/// What /proc/self/stat says of a process, as far as metrics have it.
struct ProcessStat {
    double cpu_seconds = 0;
    double started_after_boot_seconds = 0;
    double virtual_bytes = 0;
    double resident_bytes = 0;
};

/// Reads a line of /proc/PID/stat; nothing if it is none.
std::optional<ProcessStat> parse_process_stat(
    std::string_view line, double ticks_a_second, double page_bytes
);

/// Sets the metrics of process_* to what this process uses now; those that the system does not tell
/// stay as they are. Thread: any, one at a time. Cost: a few small files of /proc.
void report_process_usage(RuntimeMetrics& metrics);

}  // namespace sluice::metrics
