#include "controller/commands/replay/replay.hpp"

#include "api/meta/codec.hpp"
#include "api/meta/micro_time.hpp"
#include "base/clock.hpp"
#include "base/printable.hpp"
#include "controller/commands/schedule/report_line.hpp"
#include "controller/commands/why/why_output.hpp"
#include "insight/explain.hpp"
#include "insight/situation_of_state.hpp"
#include "journal/replay.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice::commands {
namespace {

constexpr int kNotFound = 1;
constexpr int kFailed = 2;
constexpr int kDiffers = 4;

struct ReplayOptions {
    std::string folder;
    std::string until;
    std::string why;
    std::string output = "text";
    bool verify = false;
    bool utc = false;
};

constexpr const char* kDescription =
    R"(Replay the journal that `sluice controller --journal-dir` wrote: every event and cycle again,
on the state at the begin of each segment. Each decision is compared with the recorded hash. The
first that differs ends the replay, with the decisions of the replay and, if the journal was written
with --journal-full, the recorded ones.

  sluice replay journal/ --verify
  sluice replay journal/ --until 2026-01-31T13:40:00Z --why nlp/job-train-5c1f2

--why explains a workload as it was then. Journals have what the engine knows: names and numbers, no
pod specs and no secrets.

Exit code: 0 if every decision is the same; 4 if one differs; 1 if the workload is not found; 2 if
an option is bad or a segment is damaged.)";

std::string print_count(std::uint64_t count, const char* one, const char* many) {
    std::string digits = std::to_string(count);
    for (std::size_t at = digits.size(); at > 3; at -= 3) {
        digits.insert(at - 3, ",");
    }
    return digits + " " + (count == 1 ? one : many);
}

std::string print_span(const journal::ReplayReport& report) {
    return report.first && report.last
               ? fmt::format(
                     ", {} to {}", api::to_string(*report.first), api::to_string(*report.last)
                 )
               : "";
}

/// Prints lines of foreign text, each with its control characters escaped.
std::string indented_lines(std::string_view text) {
    std::string made;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        made += "  " + printable(line) + "\n";
    }
    return made;
}

int print_replay(const journal::ReplayReport& report, Duration took) {
    fmt::print(
        "{}{}: {}, {}, {}\n",
        print_count(report.segments, "segment", "segments"),
        print_span(report),
        print_count(report.events, "event", "events"),
        print_count(report.cycles, "cycle", "cycles"),
        print_count(report.admissions, "admission", "admissions")
    );
    for (const auto& note : report.notes) {
        report_line("note", note);
    }
    const double seconds = std::chrono::duration<double>(took).count();
    if (!report.difference) {
        fmt::print("replayed in {:.1f} s; every decision is the same\n", seconds);
        return 0;
    }
    const auto& difference = *report.difference;
    fmt::print(
        "cycle {} differs, at {} (entry {} of {})\nrecorded: {}replayed:\n{}",
        difference.cycle,
        api::to_string(difference.at),
        difference.entry,
        difference.segment,
        indented_lines(difference.recorded).substr(2),
        indented_lines(difference.replayed)
    );
    return kDiffers;
}

int explain_at_end(const ReplayOptions& options, const journal::ReplayReport& report) {
    if (!report.state || !report.last) {
        report_line("error", "the journal has no entry until that time");
        return kFailed;
    }
    auto situation = insight::situation_of_state(*report.state, options.why, *report.last);
    if (!situation) {
        report_line(
            "error",
            fmt::format("{} does not exist at {}", options.why, api::to_string(*report.last))
        );
        return kNotFound;
    }
    const auto explanation =
        insight::Draft(*std::move(situation)).finish([](std::string_view) { return true; });
    const auto zone = options.utc ? TimeZone::Utc : TimeZone::Local;
    const std::string text = options.output == "json" ? api::encode(explanation) + "\n"
                                                      : print_explanation(explanation, zone);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

int run_replay(const ReplayOptions& options) {
    std::optional<Time> until;
    if (!options.until.empty()) {
        const auto time = api::parse_time(options.until);
        if (!time) {
            report_line("error", "--until: " + time.error().detail);
            return kFailed;
        }
        until = *time;
    }
    const SystemClock clock;
    const Instant began = clock.instant();
    const auto report = journal::replay(options.folder, until);
    if (!report) {
        report_line("error", report.error().detail);
        return kFailed;
    }
    if (options.why.empty() || report->difference) {
        return print_replay(*report, clock.instant() - began);
    }
    return explain_at_end(options, *report);
}

}  // namespace

void add_replay(CLI::App& program, int& exit_code) {
    const auto options = std::make_shared<ReplayOptions>();
    auto* command = program.add_subcommand("replay", "Replay the journal of a controller");
    command->footer(kDescription);
    command->add_option("folder", options->folder, "Folder of the journal")->required();
    auto* why = command->add_option(
        "--why", options->why, "NAMESPACE/NAME of a Workload to explain at the end"
    );
    command->add_flag("--verify", options->verify, "Compare every decision (always done)")
        ->excludes(why);
    command->add_option("--until", options->until, "Time of the last entry, RFC 3339");
    command->add_flag("--utc", options->utc, "Print times of --why in UTC (default: local time)");
    command->add_option("-o,--output", options->output, "Output format of --why: text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = run_replay(*options); });
}

}  // namespace sluice::commands
