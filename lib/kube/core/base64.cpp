#include "kube/core/base64.hpp"

#include <cstdint>

namespace sluice::kube {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8U |
                    (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            const bool padding = i + j > bytes.size();
            out += padding ? '=' : kAlphabet[group >> (18U - 6U * j) & 63U];
        }
    }
    return out;
}

Result<std::string> decode_base64(std::string_view text) {
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t group = 0;
    int digits = 0;
    int padding = 0;
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t') {
            continue;
        }
        const auto digit = kAlphabet.find(c);
        if (c == '=' ? digits < 2 : (padding > 0 || digit == std::string_view::npos)) {
            return make_invalid("not base64");
        }
        padding += c == '=' ? 1 : 0;
        group = group << 6U | (c == '=' ? 0U : static_cast<std::uint32_t>(digit));
        if (++digits < 4) {
            continue;
        }
        out += static_cast<char>(group >> 16U & 255U);
        if (padding < 2) {
            out += static_cast<char>(group >> 8U & 255U);
        }
        if (padding < 1) {
            out += static_cast<char>(group & 255U);
        }
        group = 0;
        digits = 0;
    }
    if (digits != 0) {
        return make_invalid("not base64: the length is not a multiple of four");
    }
    return out;
}

}  // namespace sluice::kube
