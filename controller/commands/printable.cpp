#include "controller/commands/printable.hpp"

#include <fmt/format.h>

namespace sluice::commands {

std::string printable(std::string_view text) {
    std::string made;
    made.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            made += fmt::format("\\x{:02x}", byte);
        } else {
            made += c;
        }
    }
    return made;
}

}  // namespace sluice::commands
