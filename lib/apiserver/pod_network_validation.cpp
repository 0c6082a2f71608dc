#include "apiserver/pod_network_validation.hpp"

#include "api/names.hpp"
#include "apiserver/ip_address.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::size_t kServersMost = 3;
constexpr std::size_t kSearchesMost = 32;

void check_address(Causes& causes, const std::string& field, const Value& address) {
    const std::string_view text = address.is_string() ? std::string_view(address.as_string()) : "";
    add_problems(causes, field, address, find_ip_address_problems(text));
}

/// A subdomain of which the labels may have underscores.
bool is_search_domain(std::string text) {
    std::ranges::replace(text, '_', 'a');
    return text == "." || api::has_subdomain_form(text);
}

void check_dns(Causes& causes, const std::string& path, const Value& config) {
    const auto& servers = items_of(config.find("nameservers"));
    if (servers.size() > kServersMost) {
        causes.push_back(invalid_value(
            path + ".nameservers",
            Value(servers),
            fmt::format("must not have more than {} nameservers", kServersMost)
        ));
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
        check_address(causes, element_path(path + ".nameservers", i), servers[i]);
    }
    const auto& searches = items_of(config.find("searches"));
    if (searches.size() > kSearchesMost) {
        causes.push_back(invalid_value(
            path + ".searches",
            Value(searches),
            fmt::format("must not have more than {} search paths", kSearchesMost)
        ));
    }
    for (std::size_t i = 0; i < searches.size(); ++i) {
        std::string text = searches[i].is_string() ? searches[i].as_string() : std::string();
        if (text.size() > 1 && text.ends_with('.')) {
            text.pop_back();
        }
        if (!is_search_domain(text)) {
            causes.push_back(invalid_value(
                element_path(path + ".searches", i),
                text,
                api::pattern_problem(
                    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                    "characters, '_', '-' or '.', and must start and end with an alphanumeric "
                    "character",
                    R"(_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*)",
                    {"example.com"}
                )
            ));
        }
    }
    const auto& options = items_of(config.find("options"));
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i].string_at("name").empty()) {
            causes.push_back(required_value(element_path(path + ".options", i), "must not be empty")
            );
        }
    }
}

}  // namespace

void check_pod_network(Causes& causes, const std::string& path, const Value& spec) {
    const Value* config = spec.find("dnsConfig");
    if (spec.string_at("dnsPolicy") == "None") {
        if (config == nullptr) {
            causes.push_back(required_value(
                path + ".dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None"
            ));
        } else if (items_of(config->find("nameservers")).empty()) {
            causes.push_back(required_value(
                path + ".dnsConfig.nameservers",
                "must provide at least one DNS nameserver when `dnsPolicy` is None"
            ));
        }
    }
    if (config != nullptr && config->is_object()) {
        check_dns(causes, path + ".dnsConfig", *config);
    }
    const auto& aliases = items_of(spec.find("hostAliases"));
    for (std::size_t i = 0; i < aliases.size(); ++i) {
        const std::string here = element_path(path + ".hostAliases", i);
        check_address(causes, here + ".ip", member_or_null(aliases[i], "ip"));
        const auto& names = items_of(aliases[i].find("hostnames"));
        for (std::size_t j = 0; j < names.size(); ++j) {
            if (names[j].is_string()) {
                check_subdomain(causes, element_path(here + ".hostnames", j), names[j].as_string());
            }
        }
    }
}

}  // namespace sluice::apiserver
