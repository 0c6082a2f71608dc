// A serving certificate and its authority: makes, checks and stores them.
#pragma once

#include "api/core/core.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/transport/certificate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// A server's certificate, and the authority that signed it. Contains private keys: never log it.
struct ServingCertificates {
    net::CertificateAndKey authority;  ///< its key is empty if stored elsewhere
    net::CertificateAndKey serving;
};

/// Returns true if the certificates may be used: signed by the authority, whose key is present;
/// valid for `names`; and neither ends within 90 days.
bool is_good_for(
    const ServingCertificates& certificates, const std::vector<std::string>& names, Time now
);

/// Makes a serving certificate for these names and for those of the present certificate. Keeps the
/// present authority if it can still be used, so that clients that know it need no change. Errors:
/// Invalid if a name is neither a host name nor an IP address.
Result<ServingCertificates> make_certificates(
    const ServingCertificates& present,
    const std::string& authority_name,
    const std::vector<std::string>& names,
    Time now
);

/// Reads certificates from the `data` of a Secret. A missing entry, or one that is not base64,
/// becomes empty.
ServingCertificates from_secret(const api::Secret& secret);

/// Returns the Secret's `data` that holds the certificates.
api::StringMap to_secret_data(const ServingCertificates& certificates);

/// Reads tls.crt and tls.key of a folder, and its ca.crt if it exists. Errors: NotFound or Invalid
/// naming the file.
Result<ServingCertificates> load_certificates(const std::string& folder);

}  // namespace sluice::serving
