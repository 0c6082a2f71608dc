#include "apiserver/ip_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <utility>

namespace sluice::apiserver {
namespace {

/// IPv4, or the part of IPv6 that is written so, without the zeros that its numbers begin with.
std::string without_leading_zeros(std::string_view text) {
    const auto colon = text.rfind(':');
    const bool has_quads = text.find('.') != std::string_view::npos;
    const std::size_t first = !has_quads                        ? text.size()
                              : colon == std::string_view::npos ? 0
                                                                : colon + 1;
    std::string out(text.substr(0, first));
    bool begins = true;
    for (std::size_t i = first; i < text.size(); ++i) {
        const bool has_more = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
        if (begins && text[i] == '0' && has_more) {
            continue;
        }
        out += text[i];
        begins = text[i] == '.';
    }
    return out;
}

/// IPv4 within an address of IPv6, as in ::ffff:1.2.3.4.
bool is_mapped(const IpAddress& address) {
    const auto& bytes = address.bytes;
    return address.is_v6 && bytes[10] == 255 && bytes[11] == 255 &&
           std::all_of(bytes.begin(), bytes.begin() + 10, [](unsigned char b) { return b == 0; });
}

bool has_leading_zeros(std::string_view text) {
    return without_leading_zeros(text) != text;
}

/// Whether bits are set that the length of the prefix does not cover.
bool has_bits_beyond(const IpAddress& address, int length) {
    const int bits = address.is_v6 ? 128 : 32;
    for (int bit = length; bit < bits; ++bit) {
        const auto byte = address.bytes[static_cast<std::size_t>(bit) / 8U];
        if (((byte >> (7 - bit % 8)) & 1U) != 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool IpAddress::is_unspecified() const {
    return std::all_of(bytes.begin(), bytes.end(), [](unsigned char b) { return b == 0; });
}

bool IpAddress::is_loopback() const {
    if (!is_v6) {
        return bytes[0] == 127;
    }
    return bytes[15] == 1 &&
           std::all_of(bytes.begin(), bytes.begin() + 15, [](unsigned char b) { return b == 0; });
}

bool IpAddress::is_link_local() const {
    return is_v6 ? bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80
                 : bytes[0] == 169 && bytes[1] == 254;
}

bool IpAddress::is_link_local_multicast() const {
    return is_v6 ? bytes[0] == 0xFF && (bytes[1] & 0x0FU) == 0x02
                 : bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
}

std::string IpAddress::printed() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(is_v6 ? AF_INET6 : AF_INET, bytes.data(), text.data(), text.size());
    return text.data();
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
    IpAddress address;
    if (text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::string plain = without_leading_zeros(text);
    if (inet_pton(AF_INET, plain.c_str(), address.bytes.data()) == 1) {
        return address;
    }
    address.is_v6 = true;
    if (inet_pton(AF_INET6, plain.c_str(), address.bytes.data()) == 1) {
        return address;
    }
    return std::nullopt;
}

std::vector<std::string> find_ip_address_problems(std::string_view text) {
    const auto address = parse_ip_address(text);
    if (!address) {
        return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
    }
    if (has_leading_zeros(text)) {
        return {"must not have leading 0s"};
    }
    if (is_mapped(*address)) {
        return {"must not be an IPv4-mapped IPv6 address"};
    }
    return {};
}

std::vector<std::string> find_cidr_problems(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = parse_ip_address(text.substr(0, slash));
    const auto digits = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    int length = -1;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    const bool is_number =
        fault == std::errc() && end == digits.data() + digits.size() && !digits.starts_with('-');
    if (!address || !is_number || length < 0 || length > (address->is_v6 ? 128 : 32)) {
        return {"must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"};
    }
    if (has_leading_zeros(text.substr(0, slash)) || (digits.size() > 1 && digits.front() == '0')) {
        return {"must not have leading 0s in IP or prefix length"};
    }
    if (is_mapped(*address)) {
        return {"must not have an IPv4-mapped IPv6 address"};
    }
    if (has_bits_beyond(*address, length)) {
        return {"must not have bits set beyond the prefix length"};
    }
    return {};
}

}  // namespace sluice::apiserver
