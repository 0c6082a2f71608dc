// Finds the user of a request, as extension API servers do: proxy headers, certificate, token.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/client.hpp"
#include "net/http/http_message.hpp"
#include "serving/access_reviews.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// The authorities and headers that an extension API server trusts, as the API server publishes
/// them in ConfigMap kube-system/extension-apiserver-authentication.
struct AuthenticationRules {
    std::string client_authorities_pem;    ///< sign certificates of users
    std::string proxy_authorities_pem;     ///< sign the certificate of the API server as a proxy
    std::vector<std::string> proxy_names;  ///< allowed common names of the proxy; empty: any
    std::vector<std::string> user_headers;
    std::vector<std::string> uid_headers;
    std::vector<std::string> group_headers;
    std::vector<std::string> extra_header_prefixes;
};

/// Reads the rules from a ConfigMap. A missing or unreadable entry is empty and grants nothing.
AuthenticationRules read_authentication_rules(const json::Value& config_map);

/// Returns the user on whose behalf the API server forwards a request: the headers name the user,
/// and the certificates (PEM, leaf first) prove that the request comes from the API server. nullopt
/// if either is missing.
std::optional<User> find_proxied_user(
    const AuthenticationRules& rules,
    const std::string& certificates_pem,
    const net::HttpHeaders& headers,
    Time now
);
/// Returns the user of a client certificate: its common name, with its organizations as groups.
/// nullopt if the certificate is not trusted.
std::optional<User> find_certified_user(
    const AuthenticationRules& rules, const std::string& certificates_pem, Time now
);
/// Returns the token of `Authorization: Bearer <token>`, or "".
std::string find_bearer_token(const net::HttpHeaders& headers);

/// Finds the user of a request, in the order of Kubernetes' own servers: the user in the API
/// server's proxy headers, of a client certificate, of a bearer token; without any of these,
/// system:anonymous. Thread: one, that of the server.
class DelegatedAuthentication {
  public:
    /// Lifetime: client, reviews and clock must outlive this object. In addition to the permissions
    /// of the reviews, the client needs permission to read the ConfigMap (Role
    /// extension-apiserver-authentication-reader in kube-system).
    DelegatedAuthentication(kube::Client& client, AccessReviews& reviews, const Clock& clock)
        : client_(client), reviews_(reviews), clock_(clock) {}

    /// Returns the user of a request. nullopt if its bearer token is not valid, or if it has no
    /// token and its client certificate is not trusted. Errors: those of the client.
    kube::Async<std::optional<User>> identify(
        net::HttpHeaders headers, std::shared_ptr<const std::string> certificates
    );

  private:
    /// Reads the rules again if they are a minute old. Before the first successful read, each
    /// request tries, but not within a second after a failure. After a failure the old rules stay.
    boost::asio::awaitable<void> refresh();
    kube::Client& client_;
    AccessReviews& reviews_;
    const Clock& clock_;
    AuthenticationRules rules_;
    bool has_rules_ = false;
    std::optional<Instant> failed_at_;
    std::optional<Instant> read_at_;  ///< when the latest read began
};

}  // namespace sluice::serving
