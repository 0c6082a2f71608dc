#pragma once

#include "base/error.hpp"
#include "controller/commands/schedule/schedule_input.hpp"

#include <string>
#include <vector>

namespace sluice::commands {

/// The text of a file, of standard input for "-". Errors: Invalid, naming the file and why it
/// cannot be read.
Result<std::string> read_file(const std::string& name);

/// The files of these names; of a folder all its files ending in .yaml, .yml and .json, by name,
/// not those of folders in it, as kubectl does. Errors: as above, and a folder without any.
Result<std::vector<InputFile>> read_input_files(const std::vector<std::string>& names);

}  // namespace sluice::commands
