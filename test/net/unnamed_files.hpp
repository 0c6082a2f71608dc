#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

namespace sluice::test {

/// The number of open files of this process that no folder names, as those of spooled bodies.
inline std::size_t unnamed_files() {
    std::size_t found = 0;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code closed_meanwhile;
        const auto target = std::filesystem::read_symlink(file.path(), closed_meanwhile).string();
        found += target.ends_with(" (deleted)") ? 1 : 0;
    }
    return found;
}

}  // namespace sluice::test
