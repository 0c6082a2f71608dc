#pragma once

#include "base/clock.hpp"
#include "serving/certificate_source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::serving {

/// Shows what another source gives. A new authority takes over without a gap: clients are told to
/// trust it beside the one before, and only then its certificate is shown.
class GradualCertificates final : public CertificateSource {
  public:
    struct Periods {
        Duration shown_after;    ///< from the publication of an authority to its first use
        Duration settled_after;  ///< from then until no replica needs the one before any more
    };
    /// Lifetime: the clock must outlive it.
    GradualCertificates(
        std::unique_ptr<CertificateSource> source, const Clock& clock, Periods periods
    )
        : source_(std::move(source)), clock_(clock), periods_(periods) {}

    /// What to show, and as its authority all that are to be published, without their keys. The
    /// first certificate is shown at once, and so is a new one when the last has expired.
    kube::Async<ServingCertificates> current() override;
    /// Says that clients have been told to trust these authorities.
    void note_published(const std::string& authority_pem);
    /// Whether the authority is in use for so long that all replicas use it.
    bool is_settled() const;

  private:
    /// Whether what the source gave last may be shown after these.
    bool may_follow(const ServingCertificates& shown) const;
    std::string authorities() const;

    std::unique_ptr<CertificateSource> source_;
    const Clock& clock_;
    Periods periods_;
    std::optional<ServingCertificates> shown_;
    std::string newest_;                ///< the authority that the source gave last
    std::optional<Instant> published_;  ///< since when it is
    Instant changed_;                   ///< when an authority was last given or taken into use
    std::vector<std::string> past_;     ///< authorities before it that replicas may still use
};

}  // namespace sluice::serving
