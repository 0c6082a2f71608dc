#include "serving/gradual_certificates.hpp"

#include "serving/authority_bundle.hpp"

#include <algorithm>
#include <utility>

namespace sluice::serving {

kube::Async<ServingCertificates> GradualCertificates::current() {
    auto given = co_await source_->current();
    if (!given) {
        co_return given.error();
    }
    const std::string authority = given->authority.certificate_pem;
    if (authority != newest_) {
        std::erase(past_, authority);
        if (!newest_.empty()) {
            past_.push_back(newest_);
        }
        newest_ = authority;
        published_.reset();
        changed_ = clock_.instant();
    }
    if (!shown_ || may_follow(*shown_)) {
        if (!shown_ || shown_->authority.certificate_pem != newest_) {
            changed_ = clock_.instant();
        }
        shown_ = std::move(*given);
    }
    ServingCertificates answer{{}, shown_->serving};
    if (is_settled()) {
        past_.clear();
    }
    answer.authority.certificate_pem = authorities();
    co_return answer;
}

bool GradualCertificates::may_follow(const ServingCertificates& shown) const {
    // Without an authority, distributing the certificate is the administrator's task.
    if (newest_.empty() || shown.authority.certificate_pem == newest_) {
        return true;
    }
    const auto info = net::parse_certificate(shown.serving.certificate_pem);
    return !info || info->not_after <= clock_.now() ||
           (published_ && clock_.instant() - *published_ >= periods_.shown_after);
}

std::string GradualCertificates::authorities() const {
    std::string past;
    for (const std::string& authority : past_) {
        past += authority + "\n";
    }
    return newest_.empty() ? "" : unite_authorities(newest_, past, clock_.now());
}

void GradualCertificates::note_published(const std::string& authority_pem) {
    if (!published_ && !newest_.empty() && authority_pem == authorities()) {
        published_ = clock_.instant();
    }
}

bool GradualCertificates::is_settled() const {
    return shown_ && shown_->authority.certificate_pem == newest_ &&
           clock_.instant() - changed_ >= periods_.settled_after;
}

}  // namespace sluice::serving
