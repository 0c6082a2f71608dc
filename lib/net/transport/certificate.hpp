#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace sluice::net {

/// A certificate (or chain, leaf first) and its private key, both PEM. The key is a secret: never
/// log it.
struct CertificateAndKey {
    std::string certificate_pem;
    std::string private_key_pem;
};

struct CertificateInfo {
    Time not_before;
    Time not_after;
    std::string common_name;
    std::vector<std::string> names;  ///< DNS names and IP addresses it is good for
    bool is_authority = false;
};

/// How long a certificate that was made counts from `now`; it begins an hour earlier, because
/// clocks differ.
struct Validity {
    Time now;
    Duration length = std::chrono::hours(24 * 365);
};

/// Makes an authority of one's own: self-signed, EC P-256, for signing servers only.
Result<CertificateAndKey> make_authority(const std::string& common_name, Validity validity);

/// Makes a server's certificate, signed by the authority, good for the DNS names and IP addresses
/// given. Errors: Invalid for an authority that cannot be read or a name that is neither.
Result<CertificateAndKey> make_serving_certificate(
    const CertificateAndKey& authority, const std::vector<std::string>& names, Validity validity
);

/// Makes a client's certificate; Kubernetes takes the common name as user and organizations as
/// groups.
Result<CertificateAndKey> make_client_certificate(
    const CertificateAndKey& authority,
    const std::string& common_name,
    const std::vector<std::string>& organizations,
    Validity validity
);

/// Reads the first certificate of a PEM text. Errors: Invalid.
Result<CertificateInfo> parse_certificate(const std::string& pem);

/// Whether the certificate was signed by the authority. Errors: Invalid when either cannot be read.
Result<bool> is_signed_by(const std::string& certificate_pem, const std::string& authority_pem);

/// Who a client certificate is for, as Kubernetes reads its subject.
struct ClientIdentity {
    std::string common_name;
    std::vector<std::string> organizations;
};
/// The subject of the first certificate of a PEM chain, if that is good for clients at `now` and
/// one of the authorities (PEM, any number) signed it, directly or through certificates of the
/// chain. Errors: Invalid, saying why not.
Result<ClientIdentity> verify_client_certificate(
    const std::string& chain_pem, const std::string& authorities_pem, Time now
);

/// A random UUID (version 4), for identities. A machine without randomness ends the process.
std::string make_uuid() noexcept;

}  // namespace sluice::net
