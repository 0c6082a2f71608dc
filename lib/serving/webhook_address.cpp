#include "serving/webhook_address.hpp"

#include "kube/core/base64.hpp"
#include "net/transport/url.hpp"
#include "serving/authority_bundle.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <utility>

namespace sluice::serving {

namespace {

/// Compares without the Service's port, which has a default.
bool is_same_service(const json::Value& a, const json::Value& b) {
    return a.string_at("name") == b.string_at("name") &&
           a.string_at("namespace") == b.string_at("namespace") &&
           a.string_at("path") == b.string_at("path");
}

bool is_loopback(const std::string& host) {
    boost::system::error_code not_an_address;
    const auto address = boost::asio::ip::make_address(host, not_an_address);
    return not_an_address ? host == "localhost" : address.is_loopback();
}

}  // namespace

std::string canonical_host(const std::string& host) {
    boost::system::error_code not_an_address;
    const auto address = boost::asio::ip::make_address(host, not_an_address);
    return not_an_address ? host : address.to_string();
}

bool is_any_address(const std::string& host) {
    return host.empty() || host == "0.0.0.0" || host == "::";
}

std::string make_origin(const std::string& host, std::uint16_t port) {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return fmt::format("https://{}:{}", is_ipv6 ? "[" + host + "]" : host, port);
}

json::Value make_client_config(const WebhookAddress& own, std::string_view path) {
    json::Value config = json::Object{};
    if (own.is_by_url()) {
        config.set("url", own.origin + std::string(path));
        config.set("service", nullptr);
    } else {
        config.set("url", nullptr);
        config.set(
            "service",
            json::Object{
                {"name", own.service_name},
                {"namespace", own.service_namespace},
                {"path", std::string(path)},
            }
        );
    }
    if (!own.authority_pem.empty()) {
        config.set("caBundle", kube::encode_base64(own.authority_pem));
    }
    return config;
}

json::Value make_client_config(
    const json::Value* present, const WebhookAddress& own, std::string_view path
) {
    json::Value wanted = make_client_config(own, path);
    json::Value place = wanted;
    place.erase("caBundle");
    if (own.authority_pem.empty() || !is_same_client_config(present, place)) {
        return wanted;
    }
    wanted.set("caBundle", make_ca_bundle(present->string_at("caBundle"), own));
    return wanted;
}

std::string make_ca_bundle(std::string_view present, const WebhookAddress& own) {
    const auto published = kube::decode_base64(present);
    if (!published) {
        return kube::encode_base64(own.authority_pem);
    }
    const std::string authorities =
        own.keeps_valid_at ? unite_authorities(own.authority_pem, *published, *own.keeps_valid_at)
                           : own.authority_pem;
    return has_same_certificates(authorities, *published) ? std::string(present)
                                                          : kube::encode_base64(authorities);
}

bool is_same_client_config(const json::Value* present, const json::Value& wanted) {
    if (present == nullptr) {
        return false;
    }
    for (const auto& [key, value] : wanted.as_object()) {
        const json::Value* found = present->find(key);
        if (found == nullptr || found->is_null()) {
            if (!value.is_null()) {
                return false;
            }
        } else if (key == "service" && value.is_object()) {
            if (!is_same_service(*found, value)) {
                return false;
            }
        } else if (*found != value) {
            return false;
        }
    }
    return true;
}

std::optional<PublishedWebhook> find_other_webhook(
    const json::Value* client_config, const WebhookAddress& own, std::string_view path
) {
    if (!own.is_by_url() || client_config == nullptr) {
        return std::nullopt;
    }
    const std::string url(client_config->string_at("url"));
    if (url.empty() || url == own.origin + std::string(path)) {
        return std::nullopt;
    }
    const auto other = parse_https_url(url);
    const auto mine = parse_https_url(own.origin);
    if (other && is_loopback(other->host) && !(mine && is_loopback(mine->host))) {
        return std::nullopt;  // this machine would answer, not the other replica
    }
    const auto authority = kube::decode_base64(client_config->string_at("caBundle"));
    if (!authority) {
        return std::nullopt;
    }
    return PublishedWebhook{url, *authority};
}

Result<HttpsUrl> parse_https_url(const std::string& text) {
    auto url = net::parse_server_url(text);
    if (!url || !url->is_https) {
        return make_invalid(fmt::format("\"{}\" is not https://host:port/path", text));
    }
    return HttpsUrl{
        .host = std::move(url->host),
        .port = url->port,
        .path = url->path.empty() ? "/" : std::move(url->path),
    };
}

}  // namespace sluice::serving
