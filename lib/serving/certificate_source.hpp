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

/// Where a server's certificates come from. Asked again and again, a source answers with what is
/// to be shown now: it renews what comes near its end, and notices what others changed.
class CertificateSource {
  public:
    CertificateSource() = default;
    CertificateSource(const CertificateSource&) = delete;
    CertificateSource& operator=(const CertificateSource&) = delete;
    virtual ~CertificateSource() = default;
    /// What to show now. Errors: what keeps it from being had, naming the file or Secret.
    virtual kube::Async<ServingCertificates> current() = 0;
};

/// Certificates of an authority of one's own in a Secret that all replicas share. A replica that
/// finds them missing, near their end or not good for its names makes new ones; the version of the
/// Secret decides between two that do so at a time.
class SecretCertificates final : public CertificateSource {
  public:
    /// Lifetime: client and clock must outlive it.
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        std::string secret_namespace;
        std::string secret_name;
        std::vector<std::string> names;  ///< DNS names and IP addresses that it is reached by
    };
    explicit SecretCertificates(Parts parts) : parts_(std::move(parts)) {}
    kube::Async<ServingCertificates> current() override;

  private:
    /// `resource_version`: of the Secret that is there; "": there is none.
    kube::Async<std::string> write(
        kube::ResourcePath path, ServingCertificates certificates, std::string resource_version
    );
    Parts parts_;
};

/// tls.crt, tls.key and, if it is there, ca.crt of a folder, which another program keeps up to
/// date.
class FileCertificates final : public CertificateSource {
  public:
    explicit FileCertificates(std::string folder) : folder_(std::move(folder)) {}
    kube::Async<ServingCertificates> current() override;

  private:
    std::string folder_;
};

/// The certificate that another server of the process shows.
/// Thread: that of the other server's source.
class BorrowedCertificates final : public CertificateSource {
  public:
    /// `find` returns nullptr while the other server shows no certificate.
    explicit BorrowedCertificates(std::function<const ServingCertificates*()> find)
        : find_(std::move(find)) {}
    /// Errors: Unavailable while the other server shows no certificate.
    kube::Async<ServingCertificates> current() override;

  private:
    std::function<const ServingCertificates*()> find_;
};

/// A certificate in memory, for clients that do not check the authority.
class SelfMadeCertificates final : public CertificateSource {
  public:
    /// Lifetime: the clock must outlive it.
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
