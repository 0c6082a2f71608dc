#pragma once

#include "api/core.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/certificate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// What the conversion webhook shows, and the authority that signed it. Holds private keys: never
/// log it.
struct WebhookCertificates {
    net::CertificateAndKey authority;  ///< its key is empty when somebody else keeps it
    net::CertificateAndKey serving;
};

/// The certificates in the Secret that all replicas share; none when one is missing, does not count
/// any more for half a year, or is not good for `names`.
std::optional<WebhookCertificates> read_certificates(
    const api::Secret& secret, const std::vector<std::string>& names, Time now
);

/// New certificates for these names. The authority in the Secret is kept while it counts, so that
/// clients which know it go on trusting.
Result<WebhookCertificates> renew_certificates(
    const api::Secret& secret, const std::vector<std::string>& names, Time now
);

/// The Secret's `data` that holds the certificates.
api::StringMap to_secret_data(const WebhookCertificates& certificates);

/// tls.crt and tls.key of a folder, and its ca.crt if there is one.
/// Errors: NotFound or Invalid naming the file.
Result<WebhookCertificates> load_certificates(const std::string& folder);

}  // namespace sluice::controller
