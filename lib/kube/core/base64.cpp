#include "kube/core/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <climits>
#include <cstddef>

namespace sluice::kube {
namespace {

/// Bytes encoded at a time: whole groups of three, and few enough for OpenSSL's int.
constexpr std::size_t kPieceBytes = std::size_t{3} << 20U;

bool is_blank(char c) {
    return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

unsigned char* as_bytes(std::string& text, std::size_t at) {
    return reinterpret_cast<unsigned char*>(text.data() + at);
}

const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        const auto piece = bytes.substr(0, kPieceBytes);
        const auto before = out.size();
        // OpenSSL writes a zero byte after the text.
        out.resize(before + (piece.size() + 2) / 3 * 4 + 1);
        EVP_EncodeBlock(as_bytes(out, before), as_bytes(piece), static_cast<int>(piece.size()));
        out.pop_back();
        bytes.remove_prefix(piece.size());
    }
    return out;
}

Result<std::string> decode_base64(std::string_view text) {
    std::string digits(text);
    std::erase_if(digits, is_blank);
    // OpenSSL accepts "=" as a digit, and ignores unknown characters at both ends: check the
    // padding and the size of the result.
    const auto padding = digits.size() - std::min(digits.find('='), digits.size());
    const bool is_padded = padding == 0 || (padding <= 2 && digits.ends_with('='));
    std::string out(digits.size() / 4 * 3, '\0');
    if (!is_padded || digits.size() % 4 != 0 || digits.size() > INT_MAX ||
        EVP_DecodeBlock(as_bytes(out, 0), as_bytes(digits), static_cast<int>(digits.size())) !=
            static_cast<int>(out.size())) {
        return make_invalid("not base64");
    }
    out.resize(out.size() - padding);
    return out;
}

}  // namespace sluice::kube
