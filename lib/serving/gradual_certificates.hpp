// Changes a server to a new authority without a gap in which clients do not trust it.
#pragma once

#include "base/clock.hpp"
#include "serving/certificate_source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// Passes on the certificates of another source, and changes to a new authority without a gap: the
/// new authority is first published in addition to the old one, and its certificate is used only
/// later.
class GradualCertificates final : public CertificateSource {
  public:
    struct Periods {
        Duration shown_after;    ///< from the publication of an authority to its first use
        Duration settled_after;  ///< from then until no replica needs the old one
    };
    /// Lifetime: the clock must outlive this object.
    GradualCertificates(
        std::unique_ptr<CertificateSource> source, const Clock& clock, Periods periods
    )
        : source_(std::move(source)), clock_(clock), periods_(periods) {}

    /// Returns the certificate to use, and as its authority all authorities to publish, without
    /// their keys. The first certificate is used at once, and so is a new one if the old one has
    /// expired.
    kube::Async<ServingCertificates> current() override;
    /// Records that these authorities are published.
    void note_published(const std::string& authority_pem);
    /// Returns true if the authority has been in use for so long that all replicas use it.
    bool is_settled() const;

  private:
    /// Returns true if the source's latest certificates may replace `shown`.
    bool may_follow(const ServingCertificates& shown) const;
    std::string authorities() const;

    std::unique_ptr<CertificateSource> source_;
    const Clock& clock_;
    Periods periods_;
    std::optional<ServingCertificates> shown_;
    std::string newest_;                ///< the source's latest authority
    std::optional<Instant> published_;  ///< when `newest_` was published, if it was
    Instant changed_;                   ///< when an authority last changed or came into use
    std::vector<std::string> past_;     ///< earlier authorities that replicas may still use
};

}  // namespace sluice::serving
