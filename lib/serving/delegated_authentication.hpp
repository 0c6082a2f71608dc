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

/// Whom a server behind the API server's aggregation layer believes: what the API server publishes
/// in ConfigMap kube-system/extension-apiserver-authentication.
struct AuthenticationRules {
    std::string client_authorities_pem;    ///< sign certificates that name the user themselves
    std::string proxy_authorities_pem;     ///< sign the certificate of the API server as a proxy
    std::vector<std::string> proxy_names;  ///< common names it may have; empty: any
    std::vector<std::string> user_headers;
    std::vector<std::string> uid_headers;
    std::vector<std::string> group_headers;
    std::vector<std::string> extra_header_prefixes;
};

/// The rules in a ConfigMap; what is missing or unreadable is empty and grants nothing.
AuthenticationRules read_authentication_rules(const json::Value& config_map);

/// The user for whom the API server passes a request on: its headers say so, and the certificates
/// (PEM, leaf first) prove that it is the API server. None: neither.
std::optional<User> find_proxied_user(
    const AuthenticationRules& rules,
    const std::string& certificates_pem,
    const net::HttpHeaders& headers,
    Time now
);
/// The user of a client certificate: its common name, with its organizations as groups.
std::optional<User> find_certified_user(
    const AuthenticationRules& rules, const std::string& certificates_pem, Time now
);
/// The token of `Authorization: Bearer <token>`, or "".
std::string find_bearer_token(const net::HttpHeaders& headers);

/// Finds out who makes a request, in the order of Kubernetes' own servers: the user that the API
/// server names as a proxy, that of a client certificate, that of a bearer token; without any of
/// these system:anonymous. Thread: one, that of the server.
class DelegatedAuthentication {
  public:
    /// Lifetime: all must outlive it. The client's right beside those of the reviews: to read the
    /// ConfigMap (Role extension-apiserver-authentication-reader in kube-system).
    DelegatedAuthentication(kube::Client& client, AccessReviews& reviews, const Clock& clock)
        : client_(client), reviews_(reviews), clock_(clock) {}

    /// None: a bearer token that is not valid, or without any a client certificate that is not
    /// believed. Errors: those of the client.
    kube::Async<std::optional<User>> identify(
        net::HttpHeaders headers, std::shared_ptr<const std::string> certificates
    );

  private:
    /// Reads the rules again when they are a minute old; while there are none, each request does,
    /// but for a second after that failed. Rules that cannot be read stay as they were: then no
    /// certificate is believed that was not before.
    boost::asio::awaitable<void> refresh();
    kube::Client& client_;
    AccessReviews& reviews_;
    const Clock& clock_;
    AuthenticationRules rules_;
    bool has_rules_ = false;
    std::optional<Instant> failed_at_;
    std::optional<Instant> read_at_;  ///< when the latest reading began
};

}  // namespace sluice::serving
