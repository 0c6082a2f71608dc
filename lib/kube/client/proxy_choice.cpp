#include "kube/client/proxy_choice.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

namespace sluice::kube {

namespace {

namespace ip = boost::asio::ip;

/// An environment variable that is set.
struct Variable {
    std::string_view name;
    std::string_view value;
};

Variable find_variable(
    const std::map<std::string, std::string>& environment,
    std::initializer_list<std::string_view> names
) {
    for (const std::string_view name : names) {
        const auto found = environment.find(std::string(name));
        if (found != environment.end() && !found->second.empty()) {
            return {name, found->second};
        }
    }
    return {};
}

std::string to_lower(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return lower;
}

std::optional<ip::address> parse_address(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    boost::system::error_code code;
    const auto address = ip::make_address(text, code);
    return code ? std::nullopt : std::optional(address);
}

bool is_in_network(const ip::address& address, std::string_view network) {
    boost::system::error_code code;
    const std::string text(network);
    if (address.is_v4()) {
        const auto v4 = ip::make_network_v4(text, code);
        return !code &&
               v4.canonical() == ip::network_v4(address.to_v4(), v4.prefix_length()).canonical();
    }
    const auto v6 = ip::make_network_v6(text, code);
    return !code &&
           v6.canonical() == ip::network_v6(address.to_v6(), v6.prefix_length()).canonical();
}

/// Removes `:port` from the entry and returns the port; "" if the entry has no port.
std::string take_port(std::string& entry) {
    const auto colon = entry.rfind(':');
    const bool has_port =
        colon != std::string::npos && (entry.find(':') == colon || entry.find("]:") == colon - 1);
    if (!has_port) {
        return {};
    }
    std::string port = entry.substr(colon + 1);
    entry.resize(colon);
    return port;
}

bool is_name_in(const std::string& host, std::string entry) {
    if (entry.starts_with("*.")) {
        entry.erase(0, 1);
    }
    if (entry.starts_with('.')) {
        return host.ends_with(entry);
    }
    return host == entry || host.ends_with("." + entry);
}

bool is_excepted(std::string entry, const std::string& host, std::uint16_t port) {
    entry = to_lower(entry);
    if (entry == "*") {
        return true;
    }
    const auto address = parse_address(host);
    if (entry.find('/') != std::string::npos) {
        return address && is_in_network(*address, entry);
    }
    const std::string entry_port = take_port(entry);
    if (entry.empty() || (!entry_port.empty() && entry_port != std::to_string(port))) {
        return false;
    }
    if (const auto excepted = parse_address(entry)) {
        return address == excepted;
    }
    return !address && is_name_in(host, std::move(entry));
}

bool is_local(const std::string& host) {
    const auto address = parse_address(host);
    return host == "localhost" || (address && address->is_loopback());
}

}  // namespace

Result<std::optional<net::Proxy>> choose_proxy(
    const std::map<std::string, std::string>& environment,
    bool use_tls,
    const std::string& host,
    std::uint16_t port
) {
    const Variable proxy = use_tls ? find_variable(environment, {"HTTPS_PROXY", "https_proxy"})
                                   : find_variable(environment, {"HTTP_PROXY", "http_proxy"});
    std::string name = to_lower(host);
    if (name.ends_with('.')) {
        name.pop_back();
    }
    if (proxy.value.empty() || is_local(name)) {
        return std::optional<net::Proxy>();
    }
    std::string_view excepted = find_variable(environment, {"NO_PROXY", "no_proxy"}).value;
    while (!excepted.empty()) {
        const auto comma = excepted.find(',');
        std::string entry(excepted.substr(0, comma));
        std::erase_if(entry, [](unsigned char c) { return std::isspace(c) != 0; });
        if (!entry.empty() && is_excepted(std::move(entry), name, port)) {
            return std::optional<net::Proxy>();
        }
        excepted = comma == std::string_view::npos ? "" : excepted.substr(comma + 1);
    }
    auto chosen = net::parse_proxy_url(proxy.value);
    if (!chosen) {
        return with_context(chosen.error(), std::string(proxy.name));
    }
    return std::optional(std::move(*chosen));
}

}  // namespace sluice::kube
