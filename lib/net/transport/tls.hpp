// TLS contexts for clients and servers, made from PEM.
#pragma once

#include "base/error.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sluice::net {

/// A client's trusted authorities, its checks of the server, and its own certificate.
struct TlsClientOptions {
    std::string ca_pem;           ///< trusted authorities; empty: those of the system
    std::string server_name;      ///< if not empty, checked instead of the address's host
    bool verify = true;           ///< false accepts any server; only at the user's explicit request
    std::string certificate_pem;  ///< chain, leaf first; empty: no client certificate
    std::string private_key_pem;
};

struct TlsServerOptions {
    std::string certificate_pem;  ///< chain, leaf first
    std::string private_key_pem;
    std::string minimum_version = "VersionTLS12";  ///< or VersionTLS13
    /// TLS 1.2 suites by their IANA names, most preferred first; empty: OpenSSL's default. As in
    /// Go, the suites of TLS 1.3 cannot be chosen.
    std::vector<std::string> cipher_suites{};
    /// Curves by their IANA numbers (RFC 8446, section 4.2.7), most preferred first; empty:
    /// OpenSSL's default.
    std::vector<int> curves{};
    /// Clients may send a certificate. Any certificate is accepted; the handler must verify it.
    bool ask_client_certificate = false;
};

/// Keys, certificates and rules for TLS 1.2 and newer, shared by all connections made with it.
class TlsContext;

/// Makes a TLS context. Errors: Invalid naming the part that cannot be read, or a key that does not
/// match its certificate. Messages never quote a key.
Result<std::shared_ptr<TlsContext>> make_client_tls(const TlsClientOptions& options);
Result<std::shared_ptr<TlsContext>> make_server_tls(const TlsServerOptions& options);
/// Checks that a server can use these cipher suites or curves. Errors: Invalid naming the bad one.
Result<void> check_cipher_suites(const std::vector<std::string>& suites);
Result<void> check_curves(const std::vector<int>& curves);

}  // namespace sluice::net
