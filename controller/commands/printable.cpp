#include "controller/commands/printable.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace sluice::commands {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;  ///< 0: no character of UTF-8
};

/// The character of UTF-8 (RFC 3629) that the text begins with.
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) {
        return {};
    }
    std::uint32_t code = lead & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) {
            return {};
        }
        code = code << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < kLeast[bytes] || code > 0x10ffff || is_surrogate ? Character{}
                                                                   : Character{code, bytes};
}

/// Of a control character (C0, DEL, C1), or one that changes the order or the lines of what is
/// shown (Unicode's bidirectional formatting, line and paragraph separators).
bool is_control(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
    std::string made;
    made.reserve(text.size());
    while (!text.empty()) {
        const Character character = first_of(text);
        if (character.bytes == 0) {
            made += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
            text.remove_prefix(1);
            continue;
        }
        if (!is_control(character.code)) {
            made += text.substr(0, character.bytes);
        } else if (character.code < 0x80) {
            made += fmt::format("\\x{:02x}", character.code);
        } else {
            made += fmt::format("\\u{:04x}", character.code);
        }
        text.remove_prefix(character.bytes);
    }
    return made;
}

}  // namespace sluice::commands
