#include "base/printable.hpp"

#include <boost/locale/utf.hpp>
#include <fmt/format.h>

#include <cstddef>

namespace sluice {
namespace {

namespace utf = boost::locale::utf;

/// Returns true for a control character (C0, DEL, C1), and for a character that changes the order
/// or the lines of displayed text (Unicode's bidirectional formatting, line and paragraph
/// separators).
bool is_control(utf::code_point code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
    std::string made;
    made.reserve(text.size());
    while (!text.empty()) {
        const char* end = text.data();
        const auto code = utf::utf_traits<char>::decode(end, text.data() + text.size());
        auto bytes = static_cast<std::size_t>(end - text.data());
        if (code == utf::illegal || code == utf::incomplete) {
            made += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
            bytes = 1;
        } else if (!is_control(code)) {
            made += text.substr(0, bytes);
        } else {
            made += code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
        }
        text.remove_prefix(bytes);
    }
    return made;
}

bool is_utf8(std::string_view text) {
    const char* at = text.data();
    const char* end = text.data() + text.size();
    while (at != end) {
        const auto code = utf::utf_traits<char>::decode(at, end);
        if (code == utf::illegal || code == utf::incomplete) {
            return false;
        }
    }
    return true;
}

std::string to_utf8(std::string_view text) {
    std::string made;
    made.reserve(text.size());
    while (!text.empty()) {
        const char* end = text.data();
        const auto code = utf::utf_traits<char>::decode(end, text.data() + text.size());
        const bool is_bad = code == utf::illegal || code == utf::incomplete;
        const auto bytes = is_bad ? std::size_t{1} : static_cast<std::size_t>(end - text.data());
        made += is_bad ? std::string_view("\xef\xbf\xbd") : text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return made;
}

}  // namespace sluice
