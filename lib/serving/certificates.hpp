#pragma once

#include "api/core/core.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/transport/certificate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// What a server shows, and the authority that signed it. Holds private keys: never log it.
struct ServingCertificates {
    net::CertificateAndKey authority;  ///< its key is empty when it is kept elsewhere
    net::CertificateAndKey serving;
};

/// Whether they may be shown: signed by that authority, whose key is there, good for `names`, and
/// both not within three months of their end.
bool is_good_for(
    const ServingCertificates& certificates, const std::vector<std::string>& names, Time now
);

/// New certificates for these names and for those of the present ones. The present authority is
/// kept while it may be shown, so that clients which know it go on trusting.
/// Errors: Invalid for a name that is neither a host name nor an IP address.
Result<ServingCertificates> make_certificates(
    const ServingCertificates& present,
    const std::string& authority_name,
    const std::vector<std::string>& names,
    Time now
);

/// What the `data` of a Secret holds; what is missing or no base64 is empty.
ServingCertificates from_secret(const api::Secret& secret);

/// The Secret's `data` that holds the certificates.
api::StringMap to_secret_data(const ServingCertificates& certificates);

/// tls.crt and tls.key of a folder, and its ca.crt if there is one.
/// Errors: NotFound or Invalid naming the file.
Result<ServingCertificates> load_certificates(const std::string& folder);

}  // namespace sluice::serving
