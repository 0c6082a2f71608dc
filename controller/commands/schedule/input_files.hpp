// Reads the files, folders and standard input that a command line names.
#pragma once

#include "base/error.hpp"
#include "controller/commands/schedule/schedule_input.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// Returns the text of a file, or of standard input for "-". Errors: Invalid, with the file and the
/// reason.
Result<std::string> read_file(const std::string& name);

/// Reads the named files. For a folder, reads its files that end in .yaml, .yml or .json, sorted by
/// name; like kubectl, it ignores subfolders. Errors: those of read_file(); Invalid for a folder
/// without such files.
Result<std::vector<InputFile>> read_input_files(const std::vector<std::string>& names);

}  // namespace sluice::commands
