// The address of a webhook as a `clientConfig`: URL or Service, and `caBundle`.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The `clientConfig` of CustomResourceDefinitions and webhook configurations: how the API server
/// reaches a webhook. Pure.
namespace sluice::serving {

/// Returns true if the host means all addresses of the machine, so that it cannot be connected to.
bool is_any_address(const std::string& host);

/// Returns an IP address in the form that certificates use ("FD00::7" becomes "fd00::7"); any other
/// host unchanged.
std::string canonical_host(const std::string& host);

/// The address of a replica's webhooks.
struct WebhookAddress {
    std::string origin;  ///< "https://host:port"; "": reached by the Service
    std::string service_name;
    std::string service_namespace;
    std::string authority_pem;  ///< one or more; "" if the administrator publishes it
    /// Other authorities that are published for this address stay if they have not expired at this
    /// time. If nullopt, they are removed.
    std::optional<Time> keeps_valid_at = std::nullopt;

    bool is_by_url() const { return !origin.empty(); }
};

/// Returns "https://host:port". The host may be an IPv6 address without brackets.
std::string make_origin(const std::string& host, std::uint16_t port);

/// Returns the clientConfig for a path of the address. It sets every relevant field, and sets
/// fields that must not exist to null, so that it also works as a merge patch.
json::Value make_client_config(const WebhookAddress& own, std::string_view path);

/// Returns the clientConfig for a path, given the present one (or nullptr). If the present one
/// already has this address, its `caBundle` keeps the authorities that may stay, and its text if it
/// has the same authorities.
json::Value make_client_config(
    const json::Value* present, const WebhookAddress& own, std::string_view path
);

/// Returns the `caBundle` for an object that already has this address: our authorities, followed by
/// those of the present `caBundle` that may stay. Its text stays if it has the same authorities.
std::string make_ca_bundle(std::string_view present, const WebhookAddress& own);

/// Returns true if the merge patch `wanted` would not change the clientConfig; false for nullptr.
bool is_same_client_config(const json::Value* present, const json::Value& wanted);

/// A webhook that is published by its URL.
struct PublishedWebhook {
    std::string url;
    std::string authority_pem;  ///< "": an authority that the system trusts
    friend auto operator<=>(const PublishedWebhook&, const PublishedWebhook&) = default;
};

/// Returns the webhook of another replica that the clientConfig names by its URL, whatever
/// authority signed its certificate. nullopt if the own address is the Service, which leads to all
/// replicas, or if the URL is our own, or is a loopback address while ours is not.
/// `client_config` may be nullptr.
std::optional<PublishedWebhook> find_other_webhook(
    const json::Value* client_config, const WebhookAddress& own, std::string_view path
);

/// The parts of an `https://host:port/path`.
struct HttpsUrl {
    std::string host;  ///< without brackets
    std::uint16_t port = 443;
    std::string path = "/";
};
/// Parses an https URL. Errors: Invalid, also for parts that the API server does not allow for
/// webhooks: user information, a query, a fragment.
Result<HttpsUrl> parse_https_url(const std::string& text);

}  // namespace sluice::serving
