#include "controller/commands/controller/journal_options.hpp"

#include "api/meta/quantity.hpp"
#include "base/version.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace sluice::commands {
namespace {

/// A smaller folder would lose its begin while it is written.
constexpr std::int64_t kSizeMin = std::int64_t{16} << 20;
/// Deleting the oldest segment frees at most this part of the folder.
constexpr std::uint64_t kSegmentsMin = 4;

}  // namespace

void add_journal_options(CLI::App& command, JournalOptions& options) {
    command.add_option(
        "--journal-dir",
        options.folder,
        "Folder to record every event and decision in, for `sluice replay`; one process at a time "
        "(default: none)"
    );
    command.add_option(
        "--journal-size",
        options.size,
        fmt::format(
            "Size of that folder, at least 16Mi; the oldest segments are deleted (default: {})",
            options.size
        )
    );
    command.add_flag(
        "--journal-full",
        options.full,
        "Record whole decisions, not only their hashes: a replay that differs shows both"
    );
}

Result<std::optional<journal::SegmentOptions>> make_segment_options(const JournalOptions& options) {
    if (options.folder.empty()) {
        return std::optional<journal::SegmentOptions>();
    }
    const auto size = api::Quantity::parse(options.size);
    if (!size || size->value() < kSizeMin) {
        return make_invalid(
            fmt::format("--journal-size={} is not a size of at least 16Mi", options.size)
        );
    }
    std::error_code error;
    std::filesystem::create_directories(options.folder, error);
    if (!error && ::access(options.folder.c_str(), R_OK | W_OK | X_OK) != 0) {
        error = std::error_code(errno, std::generic_category());
    }
    if (error) {
        return make_invalid(fmt::format("--journal-dir={}: {}", options.folder, error.message()));
    }
    journal::SegmentOptions made{.folder = options.folder};
    made.folder_bytes = static_cast<std::uint64_t>(size->value());
    made.segment_bytes = std::min(made.segment_bytes, made.folder_bytes / kSegmentsMin);
    made.build = version();
    made.full = options.full;
    return std::optional(std::move(made));
}

}  // namespace sluice::commands
