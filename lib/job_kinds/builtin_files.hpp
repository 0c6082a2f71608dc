// The files of the folder `builtin`, compiled in.
#pragma once

#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// A file of the folder `builtin` at build time.
struct BuiltinFile {
    std::string_view name;
    std::string_view text;
};

/// Returns all files of the folder.
std::vector<BuiltinFile> builtin_files();

}  // namespace sluice::job_kinds
