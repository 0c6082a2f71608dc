#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How the API server is told where a webhook is: the `clientConfig` of CustomResourceDefinitions
/// and of webhook configurations. Pure.
namespace sluice::serving {

/// Whether the host stands for all addresses of the machine, and thus for none to be reached by.
bool is_any_address(const std::string& host);

/// An IP address as such addresses are written in certificates ("FD00::7" is "fd00::7"); any other
/// host as it is.
std::string canonical_host(const std::string& host);

/// The way to the webhooks of a replica.
struct WebhookAddress {
    std::string origin;  ///< "https://host:port"; "": they are reached by the Service
    std::string service_name;
    std::string service_namespace;
    std::string authority_pem;  ///< one or more; "": the maker of the certificates publishes it
    /// Authorities of others that are published for this place stay where they are valid at this
    /// time; none: they go.
    std::optional<Time> keeps_valid_at = std::nullopt;

    bool is_by_url() const { return !origin.empty(); }
};

/// "https://host:port" of a host and port. The host may be an IPv6 address without brackets.
std::string make_origin(const std::string& host, std::uint16_t port);

/// The clientConfig that leads to a path of the address: every field that matters, null where it
/// must not be, so that it is a merge patch too.
json::Value make_client_config(const WebhookAddress& own, std::string_view path);

/// The same for a clientConfig that is there already (or nullptr): where it leads to this address,
/// its `caBundle` keeps what may stay, and its text when that has the same authorities.
json::Value make_client_config(
    const json::Value* present, const WebhookAddress& own, std::string_view path
);

/// Returns the `caBundle` of an object that leads to this address already: the own authorities
/// beside those of the present `caBundle` that may stay. Its text stays if it has the same
/// authorities.
std::string make_ca_bundle(std::string_view present, const WebhookAddress& own);

/// Whether a clientConfig says what such a merge patch would make it say; nullptr is none.
bool is_same_client_config(const json::Value* present, const json::Value& wanted);

/// A webhook that is published by its URL.
struct PublishedWebhook {
    std::string url;
    std::string authority_pem;  ///< "": one that the system knows
    friend auto operator<=>(const PublishedWebhook&, const PublishedWebhook&) = default;
};

/// The webhook of another replica that the clientConfig names by its URL, whatever authority signed
/// its certificate. None where we are reached by the Service, which leads to all replicas, or when
/// its URL names the machine of the one that asks. `client_config` may be nullptr.
std::optional<PublishedWebhook> find_other_webhook(
    const json::Value* client_config, const WebhookAddress& own, std::string_view path
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

}  // namespace sluice::serving
