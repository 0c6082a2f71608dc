// The sources of a server's certificate: a Secret, files, another server, or memory.
#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "kube/core/resource_path.hpp"
#include "serving/certificates.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::serving {

/// The source of a server's certificates. The server asks it regularly. A source renews
/// certificates near their end, and notices certificates that other programs changed.
class CertificateSource {
  public:
    CertificateSource() = default;
    CertificateSource(const CertificateSource&) = delete;
    CertificateSource& operator=(const CertificateSource&) = delete;
    virtual ~CertificateSource() = default;
    /// Returns the certificates to use now. Errors: the reason why they are not available, naming
    /// the file or Secret.
    virtual kube::Async<ServingCertificates> current() = 0;
};

/// Certificates of an authority made by Sluice, in a Secret that all replicas share. If they are
/// missing, near their end, or not valid for this replica's names, the replica makes new ones. If
/// two replicas do so at the same time, the version of the Secret decides.
class SecretCertificates final : public CertificateSource {
  public:
    /// Lifetime: client and clock must outlive the source.
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        std::string secret_namespace;
        std::string secret_name;
        std::vector<std::string> names;  ///< DNS names and IP addresses of the server
    };
    explicit SecretCertificates(Parts parts) : parts_(std::move(parts)) {}
    kube::Async<ServingCertificates> current() override;

  private:
    /// `resource_version` is that of the existing Secret; "" creates the Secret.
    kube::Async<std::string> write(
        kube::ResourcePath path, ServingCertificates certificates, std::string resource_version
    );
    Parts parts_;
};

/// Reads tls.crt, tls.key and, if it exists, ca.crt from a folder that another program keeps up to
/// date.
class FileCertificates final : public CertificateSource {
  public:
    explicit FileCertificates(std::string folder) : folder_(std::move(folder)) {}
    kube::Async<ServingCertificates> current() override;

  private:
    std::string folder_;
};

/// The certificate of another server in this process. Thread: that of the other server's source.
class BorrowedCertificates final : public CertificateSource {
  public:
    /// `find` returns nullptr while the other server has no certificate.
    explicit BorrowedCertificates(std::function<const ServingCertificates*()> find)
        : find_(std::move(find)) {}
    /// Errors: Unavailable while the other server has no certificate.
    kube::Async<ServingCertificates> current() override;

  private:
    std::function<const ServingCertificates*()> find_;
};

/// A certificate in memory, for clients that do not check the authority.
class SelfMadeCertificates final : public CertificateSource {
  public:
    /// Lifetime: the clock must outlive this object.
    SelfMadeCertificates(
        const Clock& clock, std::string authority_name, std::vector<std::string> names
    )
        : clock_(clock), authority_name_(std::move(authority_name)), names_(std::move(names)) {}
    kube::Async<ServingCertificates> current() override;

  private:
    const Clock& clock_;
    std::string authority_name_;
    std::vector<std::string> names_;
    ServingCertificates made_;
};

}  // namespace sluice::serving
