#include "controller/commands/cluster/write_all.hpp"

#include <cerrno>
#include <cstddef>
#include <unistd.h>

namespace sluice::commands {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return true;
}

}  // namespace sluice::commands
