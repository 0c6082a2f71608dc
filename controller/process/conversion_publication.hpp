#pragma once

#include "base/error.hpp"
#include "config/configuration.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// How the definitions tell the API server where objects are converted. Pure.
namespace sluice::controller {

/// Outside a cluster no Service leads to the webhook, so that its address must be said.
/// Errors: Invalid naming webhook.host.
Result<void> check_webhook_host(const config::Webhook& webhook, bool in_cluster);

/// Whether the host stands for all addresses of the machine, and thus for none to be reached by.
bool is_any_address(const std::string& host);

/// An IP address as such addresses are written in certificates ("FD00::7" is "fd00::7"); any other
/// host as it is.
std::string canonical_host(const std::string& host);

/// The way to a conversion webhook.
struct WebhookAddress {
    std::string url;  ///< "": by the Service
    std::string service_name;
    std::string service_namespace;
    std::string authority_pem;  ///< "": whoever made the certificates says who signed them
};

/// A webhook that is published by its URL.
struct PublishedWebhook {
    std::string url;
    std::string authority_pem;  ///< "": one that the system knows
    friend auto operator<=>(const PublishedWebhook&, const PublishedWebhook&) = default;
};

/// The webhook of another replica that the definition names by its URL, whoever signed its
/// certificate. As long as it answers under the authority that is published with it, it is left
/// there. None where we are reached by the Service, which leads to all replicas, or when its URL
/// names the machine of whoever asks.
std::optional<PublishedWebhook> find_other_webhook(
    const json::Value& definition, const WebhookAddress& own
);

/// The merge patch that makes the definition say this address; nothing when it does already. What
/// `kubectl apply` remembers to have applied is changed with it: else it would add the Service of
/// its manifest to the URL, and the API server takes only one of them.
std::optional<json::Value> publication_patch(
    const json::Value& definition, const WebhookAddress& own
);

/// The parts of an `https://host:port/path`.
struct HttpsUrl {
    std::string host;  ///< without brackets
    std::uint16_t port = 443;
    std::string path = "/";
};
/// Errors: Invalid, also for what the API server allows no webhook: user information, a query, a
/// fragment.
Result<HttpsUrl> parse_https_url(const std::string& text);

}  // namespace sluice::controller
