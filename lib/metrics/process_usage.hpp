// Reports CPU, memory and open files of the process, read from /proc.
#pragma once

#include <optional>
#include <string_view>

namespace sluice::metrics {

struct RuntimeMetrics;

/// The fields of /proc/PID/stat that metrics report.
struct ProcessStat {
    double cpu_seconds = 0;
    double started_after_boot_seconds = 0;
    double virtual_bytes = 0;
    double resident_bytes = 0;
};

/// Parses a line of /proc/PID/stat. Returns nullopt if it is malformed.
std::optional<ProcessStat> parse_process_stat(
    std::string_view line, double ticks_a_second, double page_bytes
);

/// Sets the metrics process_* to what this process uses now. A metric keeps its value if the system
/// does not report a new one. *Thread*: any, one at a time. *Cost*: reads a few small files of
/// /proc.
void report_process_usage(RuntimeMetrics& metrics);

}  // namespace sluice::metrics
