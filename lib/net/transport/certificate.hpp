// Makes, reads and verifies X.509 certificates of authorities, servers and clients.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace sluice::net {

/// A certificate (or chain, leaf first) and its private key, both as PEM. The key is a secret:
/// never log it.
struct CertificateAndKey {
    std::string certificate_pem;
    std::string private_key_pem;
};

struct CertificateInfo {
    Time not_before;
    Time not_after;
    std::string common_name;
    std::vector<std::string> names;  ///< DNS names and IP addresses that it is valid for
    bool is_authority = false;
};

/// The validity of a new certificate. It begins an hour before `now`, because clocks differ, and
/// ends `length` after `now`.
struct Validity {
    Time now;
    Duration length = std::chrono::hours(24 * 365);
};

/// Makes a self-signed authority with an EC P-256 key.
Result<CertificateAndKey> make_authority(const std::string& common_name, Validity validity);

/// Makes a server's certificate, signed by the authority and valid for the given DNS names and IP
/// addresses. Errors: Invalid if the authority cannot be read or a name is neither.
Result<CertificateAndKey> make_serving_certificate(
    const CertificateAndKey& authority, const std::vector<std::string>& names, Validity validity
);

/// Reads the first certificate of a PEM text. Errors: Invalid.
Result<CertificateInfo> parse_certificate(const std::string& pem);

/// Returns true if the certificate was signed by the authority. Errors: Invalid if either cannot be
/// read.
Result<bool> is_signed_by(const std::string& certificate_pem, const std::string& authority_pem);

/// The identity in a client certificate's subject, as Kubernetes reads it.
struct ClientIdentity {
    std::string common_name;
    std::vector<std::string> organizations;
};
/// Verifies the first certificate of a PEM chain and returns its subject. The certificate must be
/// valid for clients at `now` and be signed by one of the authorities (PEM, any number), directly
/// or through certificates of the chain. Errors: Invalid with the reason.
Result<ClientIdentity> verify_client_certificate(
    const std::string& chain_pem, const std::string& authorities_pem, Time now
);

/// Returns a random UUID (version 4), for identities. Ends the process if the machine has no source
/// of randomness.
std::string make_uuid() noexcept;

}  // namespace sluice::net
