#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// An address of IPv4 or IPv6.
struct IpAddress {
    bool is_v6 = false;
    std::array<unsigned char, 16> bytes{};  ///< of IPv4 the first four are used

    bool is_unspecified() const;
    bool is_loopback() const;
    bool is_link_local() const;
    bool is_link_local_multicast() const;
    /// As it is written in canonical form (RFC 5952).
    std::string printed() const;
};

/// Reads an address; numbers of IPv4 may have leading zeros. None for what is no address.
std::optional<IpAddress> parse_ip_address(std::string_view text);

/// What is wrong with an address, or with a network such as 10.0.0.0/8, in a field of Kubernetes
/// that takes them strictly.
std::vector<std::string> find_ip_address_problems(std::string_view text);
std::vector<std::string> find_cidr_problems(std::string_view text);

}  // namespace sluice::apiserver
