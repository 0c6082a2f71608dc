#include "serving/delegated_authentication.hpp"

#include "base/log.hpp"
#include "net/transport/certificate.hpp"
#include "net/transport/url.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>
#include <utility>

namespace sluice::serving {

namespace {

constexpr Duration kReadPeriod = std::chrono::minutes(1);
constexpr Duration kRetryPeriod = std::chrono::seconds(1);
constexpr const char* kAuthenticated = "system:authenticated";

char to_lower(unsigned char c) {
    return static_cast<char>(std::tolower(c));
}

bool is_same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

std::string_view trim(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Parses a value of the ConfigMap as a JSON list of strings; empty if the value is not set.
/// Returns nullopt if it is malformed.
std::optional<std::vector<std::string>> find_list(const json::Value& data, std::string_view key) {
    std::vector<std::string> texts;
    const std::string_view printed = data.string_at(key);
    if (printed.empty()) {
        return texts;
    }
    const auto list = json::parse(printed);
    if (!list || !list->is_array()) {
        return std::nullopt;
    }
    for (const json::Value& text : list->as_array()) {
        if (!text.is_string()) {
            return std::nullopt;
        }
        texts.emplace_back(text.as_string());
    }
    return texts;
}

std::vector<std::string> read_list(const json::Value& data, std::string_view key) {
    return find_list(data, key).value_or(std::vector<std::string>());
}

/// Returns all values of all headers with these names, in the order of the names.
std::vector<std::string> find_values(
    const net::HttpHeaders& headers, const std::vector<std::string>& names
) {
    std::vector<std::string> values;
    for (const std::string& name : names) {
        for (const net::HttpHeader& header : headers) {
            const std::string_view value = trim(header.value);
            if (is_same_name(header.name, name) && !value.empty()) {
                values.emplace_back(value);
            }
        }
    }
    return values;
}

void add_extra(User& user, const net::HttpHeader& header, std::string_view prefix) {
    if (header.name.size() <= prefix.size() ||
        !is_same_name(std::string_view(header.name).substr(0, prefix.size()), prefix)) {
        return;
    }
    std::string key = net::percent_decode(header.name.substr(prefix.size()));
    std::ranges::transform(key, key.begin(), to_lower);
    user.extra[key].push_back(header.value);
}

User mark_authenticated(User user) {
    const auto is_marked = std::ranges::find(user.groups, kAuthenticated) != user.groups.end();
    if (!is_marked && user.name != "system:anonymous") {
        user.groups.emplace_back(kAuthenticated);
    }
    return user;
}

}  // namespace

AuthenticationRules read_authentication_rules(const json::Value& config_map) {
    const json::Value* data = config_map.find("data");
    if (data == nullptr) {
        return {};
    }
    auto names = find_list(*data, "requestheader-allowed-names");
    // An empty list allows any name, so a list that cannot be read must not become an empty one.
    std::string_view authorities = data->string_at("requestheader-client-ca-file");
    if (!names) {
        authorities = {};
        names.emplace();
    }
    return {
        .client_authorities_pem = std::string(data->string_at("client-ca-file")),
        .proxy_authorities_pem = std::string(authorities),
        .proxy_names = *std::move(names),
        .user_headers = read_list(*data, "requestheader-username-headers"),
        .uid_headers = read_list(*data, "requestheader-uid-headers"),
        .group_headers = read_list(*data, "requestheader-group-headers"),
        .extra_header_prefixes = read_list(*data, "requestheader-extra-headers-prefix"),
    };
}

std::optional<User> find_proxied_user(
    const AuthenticationRules& rules,
    const std::string& certificates_pem,
    const net::HttpHeaders& headers,
    Time now
) {
    const auto names = find_values(headers, rules.user_headers);
    if (names.empty() || rules.proxy_authorities_pem.empty()) {
        return std::nullopt;
    }
    const auto proxy =
        net::verify_client_certificate(certificates_pem, rules.proxy_authorities_pem, now);
    if (!proxy) {
        return std::nullopt;
    }
    const bool is_allowed =
        rules.proxy_names.empty() ||
        std::ranges::find(rules.proxy_names, proxy->common_name) != rules.proxy_names.end();
    if (!is_allowed) {
        return std::nullopt;
    }
    User user{
        .name = names.front(),
        .uid = {},
        .groups = find_values(headers, rules.group_headers),
        .extra = {},
    };
    if (const auto uids = find_values(headers, rules.uid_headers); !uids.empty()) {
        user.uid = uids.front();
    }
    for (const std::string& prefix : rules.extra_header_prefixes) {
        for (const net::HttpHeader& header : headers) {
            add_extra(user, header, prefix);
        }
    }
    return mark_authenticated(std::move(user));
}

std::optional<User> find_certified_user(
    const AuthenticationRules& rules, const std::string& certificates_pem, Time now
) {
    if (rules.client_authorities_pem.empty()) {
        return std::nullopt;
    }
    auto client =
        net::verify_client_certificate(certificates_pem, rules.client_authorities_pem, now);
    if (!client || client->common_name.empty()) {
        return std::nullopt;
    }
    return mark_authenticated({
        .name = std::move(client->common_name),
        .uid = {},
        .groups = std::move(client->organizations),
        .extra = {},
    });
}

std::string find_bearer_token(const net::HttpHeaders& headers) {
    constexpr std::string_view kScheme = "bearer ";
    const std::string_view value = net::find_header(headers, "authorization");
    const bool is_bearer =
        value.size() > kScheme.size() && is_same_name(value.substr(0, kScheme.size()), kScheme);
    return is_bearer ? std::string(value.substr(kScheme.size())) : std::string();
}

boost::asio::awaitable<void> DelegatedAuthentication::refresh() {
    const Instant now = clock_.instant();
    const bool is_fresh = has_rules_ && read_at_ && now - *read_at_ < kReadPeriod;
    if (is_fresh || (failed_at_ && now - *failed_at_ < kRetryPeriod)) {
        co_return;
    }
    read_at_ = now;
    kube::ResourcePath path;
    path.version = "v1";
    path.plural = "configmaps";
    path.namespace_ = "kube-system";
    path.name = "extension-apiserver-authentication";
    const auto text = co_await client_.get(std::move(path), kube::GetOptions());
    const auto config_map = text ? json::parse(*text) : Result<json::Value>(text.error());
    if (!config_map) {
        log::warning(
            "which certificates the API server believes cannot be read",
            {{"configMap", "kube-system/extension-apiserver-authentication"},
             {"error", config_map.error().detail}}
        );
        failed_at_ = clock_.instant();
        co_return;
    }
    failed_at_.reset();
    rules_ = read_authentication_rules(*config_map);
    has_rules_ = true;
}

kube::Async<std::optional<User>> DelegatedAuthentication::identify(
    net::HttpHeaders headers, std::shared_ptr<const std::string> certificates
) {
    if (certificates) {
        co_await refresh();
        auto user = find_proxied_user(rules_, *certificates, headers, clock_.now());
        if (!user) {
            user = find_certified_user(rules_, *certificates, clock_.now());
        }
        if (user) {
            co_return user;
        }
    }
    std::string token = find_bearer_token(headers);
    if (token.empty()) {
        if (certificates) {
            co_return std::nullopt;  // a client with an untrusted certificate is not anonymous
        }
        co_return User{
            .name = "system:anonymous",
            .uid = {},
            .groups = {"system:unauthenticated"},
            .extra = {},
        };
    }
    co_return co_await reviews_.identify(std::move(token));
}

}  // namespace sluice::serving
