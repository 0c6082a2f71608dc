#pragma once

#include "net/transport/certificate.hpp"

#include <string>
#include <vector>

namespace sluice::test {

/// Makes a client's certificate (PEM), as a cluster's authority signs it: Kubernetes reads the
/// common name as the user and the organizations as groups.
std::string make_client_certificate(
    const net::CertificateAndKey& authority,
    const std::string& common_name,
    const std::vector<std::string>& organizations,
    net::Validity validity
);

}  // namespace sluice::test
