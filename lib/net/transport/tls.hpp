#pragma once

#include "base/error.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sluice::net {

/// What a client checks of the server and shows of itself.
struct TlsClientOptions {
    std::string ca_pem;           ///< trusted authorities; empty: those of the system
    std::string server_name;      ///< checked instead of the host of the address, when not empty
    bool verify = true;           ///< false accepts any server: the caller's explicit wish only
    std::string certificate_pem;  ///< chain, leaf first; empty: no client certificate
    std::string private_key_pem;
};

struct TlsServerOptions {
    std::string certificate_pem;  ///< chain, leaf first
    std::string private_key_pem;
    std::string minimum_version = "VersionTLS12";  ///< or VersionTLS13
    /// Of TLS 1.2, by their IANA names, the preferred first; empty: OpenSSL's own. Those of TLS 1.3
    /// cannot be chosen, as in Go.
    std::vector<std::string> cipher_suites{};
    /// By their IANA numbers (RFC 8446, section 4.2.7), the preferred first; empty: OpenSSL's own.
    std::vector<int> curves{};
    /// Clients may show a certificate. Any is taken: who may do what is the handler's business.
    bool ask_client_certificate = false;
};

/// Keys, certificates and rules for TLS 1.2 and newer. Shared by all connections made with it.
class TlsContext;

/// Errors: Invalid naming the part that cannot be read, or a key that does not fit its certificate.
/// No message ever quotes a key.
Result<std::shared_ptr<TlsContext>> make_client_tls(const TlsClientOptions& options);
Result<std::shared_ptr<TlsContext>> make_server_tls(const TlsServerOptions& options);
/// Whether a server can have these cipher suites and curves. Errors: Invalid naming the one.
Result<void> check_cipher_suites(const std::vector<std::string>& suites);
Result<void> check_curves(const std::vector<int>& curves);

}  // namespace sluice::net
