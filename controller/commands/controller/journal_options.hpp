// Options of the journal that `sluice controller` writes.
#pragma once

#include "base/error.hpp"
#include "journal/segment_writer.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace sluice::commands {

/// The journal as the command line describes it.
struct JournalOptions {
    std::string folder;        ///< --journal-dir; empty: no journal is written
    std::string size = "2Gi";  ///< --journal-size, a resource.Quantity of bytes
    bool full = false;         ///< --journal-full
};

/// Adds the options to a command. *Lifetime*: the options outlive the command.
void add_journal_options(CLI::App& command, JournalOptions& options);

/// Makes the folder where it is missing. Returns nullopt if no journal is asked for. Errors:
/// Invalid if the size is too small or no file can be made in the folder.
Result<std::optional<journal::SegmentOptions>> make_segment_options(const JournalOptions& options);

}  // namespace sluice::commands
