#include "controller/process/conversion_publication.hpp"

#include "kube/core/base64.hpp"
#include "net/url.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/// Every field that matters, null where it must not be.
json::Value make_client_config(const WebhookAddress& own) {
    json::Value config = json::Object{};
    if (own.url.empty()) {
        config.set("url", nullptr);
        config.set(
            "service",
            json::Object{
                {"name", own.service_name},
                {"namespace", own.service_namespace},
                {"path", "/convert"},
            }
        );
    } else {
        config.set("url", own.url);
        config.set("service", nullptr);
    }
    if (!own.authority_pem.empty()) {
        config.set("caBundle", kube::encode_base64(own.authority_pem));
    }
    return config;
}

const json::Value* find_client_config(const json::Value& definition) {
    return definition.find_path({"spec", "conversion", "webhook", "clientConfig"});
}

/// The Service's port has a default and does not count.
bool is_same_service(const json::Value& a, const json::Value& b) {
    return a.string_at("name") == b.string_at("name") &&
           a.string_at("namespace") == b.string_at("namespace") &&
           a.string_at("path") == b.string_at("path");
}

bool is_same_config(const json::Value* present, const json::Value& wanted) {
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

/// What kubectl says that it applied, with our address in it; nothing when it need not change.
std::optional<std::string> make_last_applied(
    const json::Value& definition, const json::Value& wanted
) {
    const json::Value* text = definition.find_path({"metadata", "annotations", kLastApplied});
    auto applied = text != nullptr && text->is_string() ? json::parse(text->as_string())
                                                        : Result<json::Value>(json::Value());
    json::Value* config = applied ? &*applied : nullptr;
    for (const std::string_view part : {"spec", "conversion", "webhook", "clientConfig"}) {
        config = config == nullptr ? nullptr : config->find(part);
    }
    if (config == nullptr || !config->is_object()) {
        return std::nullopt;
    }
    // The authority stays out: what was applied and is not any more would be taken away.
    json::Value address = wanted;
    address.erase("caBundle");
    if (is_same_config(config, address)) {
        return std::nullopt;
    }
    for (const auto& [key, value] : address.as_object()) {
        if (value.is_null()) {
            config->erase(key);
        } else {
            config->set(key, value);
        }
    }
    return json::print(*applied);
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

Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster) {
    if (in_cluster || !is_any_address(webhook.host)) {
        return {};
    }
    return make_invalid(fmt::format(
        "webhook.host is \"{}\": outside a cluster it must be the address of this machine at which "
        "the API server reaches the conversion webhook",
        webhook.host
    ));
}

std::optional<PublishedWebhook> find_other_webhook(
    const json::Value& definition, const WebhookAddress& own
) {
    const json::Value* config = find_client_config(definition);
    if (own.url.empty() || config == nullptr || config->string_at("url").empty() ||
        config->string_at("url") == own.url) {
        return std::nullopt;
    }
    const auto other = parse_https_url(std::string(config->string_at("url")));
    const auto mine = parse_https_url(own.url);
    if (other && is_loopback(other->host) && !(mine && is_loopback(mine->host))) {
        return std::nullopt;  // asked from here, this machine would answer
    }
    const auto authority = kube::decode_base64(config->string_at("caBundle"));
    if (!authority) {
        return std::nullopt;
    }
    return PublishedWebhook{std::string(config->string_at("url")), *authority};
}

std::optional<json::Value> publication_patch(
    const json::Value& definition, const WebhookAddress& own
) {
    const json::Value wanted = make_client_config(own);
    json::Value metadata = json::Object{};
    if (const json::Value* version = definition.find_path({"metadata", "resourceVersion"})) {
        metadata.set("resourceVersion", *version);
    }
    const auto last_applied = make_last_applied(definition, wanted);
    if (last_applied) {
        metadata.set("annotations", json::Object{{std::string(kLastApplied), *last_applied}});
    } else if (is_same_config(find_client_config(definition), wanted)) {
        return std::nullopt;
    }
    json::Value webhook = json::Object{
        {"clientConfig", wanted},
        {"conversionReviewVersions", json::Array{json::Value("v1")}},
    };
    json::Value conversion = json::Object{{"strategy", "Webhook"}, {"webhook", std::move(webhook)}};
    return json::Value(json::Object{
        {"metadata", std::move(metadata)},
        {"spec", json::Object{{"conversion", std::move(conversion)}}},
    });
}

Result<HttpsUrl> parse_https_url(const std::string& text) {
    auto url = net::parse_server_url(text);
    if (!url || !url->is_https) {
        return make_invalid(fmt::format("\"{}\" is no https://host:port/path", text));
    }
    return HttpsUrl{
        .host = std::move(url->host),
        .port = url->port,
        .path = url->path.empty() ? "/" : std::move(url->path),
    };
}

}  // namespace sluice::controller
