#include "controller/process/webhook_certificates.hpp"

#include "kube/client/client_config.hpp"
#include "kube/core/base64.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kAuthorityLength = std::chrono::hours(24 * 365 * 10);
constexpr Duration kServingLength = std::chrono::hours(24 * 365);
/// Renewed this long before its end.
constexpr Duration kRenewBefore = std::chrono::hours(24 * 90);

std::string decoded(const api::Secret& secret, const std::string& key) {
    const auto found = secret.data.find(key);
    if (found == secret.data.end()) {
        return "";
    }
    const auto text = kube::decode_base64(found->second);
    return text ? *text : std::string();
}

bool counts(const std::string& pem, Time now) {
    const auto info = net::parse_certificate(pem);
    return info && info->not_before <= now && info->not_after > now + kRenewBefore;
}

std::optional<net::CertificateAndKey> read_authority(const api::Secret& secret, Time now) {
    net::CertificateAndKey authority{decoded(secret, "ca.crt"), decoded(secret, "ca.key")};
    if (authority.private_key_pem.empty() || !counts(authority.certificate_pem, now)) {
        return std::nullopt;
    }
    return authority;
}

}  // namespace

std::optional<WebhookCertificates> read_certificates(
    const api::Secret& secret, const std::vector<std::string>& names, Time now
) {
    auto authority = read_authority(secret, now);
    net::CertificateAndKey serving{decoded(secret, "tls.crt"), decoded(secret, "tls.key")};
    if (!authority || serving.private_key_pem.empty() || !counts(serving.certificate_pem, now)) {
        return std::nullopt;
    }
    const auto is_signed = net::is_signed_by(serving.certificate_pem, authority->certificate_pem);
    const auto info = net::parse_certificate(serving.certificate_pem);
    const bool has_names = info && std::ranges::all_of(names, [&info](const std::string& name) {
                               return std::ranges::find(info->names, name) != info->names.end();
                           });
    if (!is_signed || !*is_signed || !has_names) {
        return std::nullopt;
    }
    return WebhookCertificates{.authority = std::move(*authority), .serving = std::move(serving)};
}

Result<WebhookCertificates> renew_certificates(
    const api::Secret& secret, const std::vector<std::string>& names, Time now
) {
    WebhookCertificates made;
    if (auto authority = read_authority(secret, now)) {
        made.authority = std::move(*authority);
    } else {
        auto fresh = net::make_authority("kueue-ca", {.now = now, .length = kAuthorityLength});
        if (!fresh) {
            return fresh.error();
        }
        made.authority = std::move(*fresh);
    }
    std::vector<std::string> all = names;
    if (const auto present = net::parse_certificate(decoded(secret, "tls.crt"))) {
        // What other replicas are reached by stays.
        std::ranges::copy_if(
            present->names,
            std::back_inserter(all),
            [&names](const std::string& name) {
                return std::ranges::find(names, name) == names.end();
            }
        );
    }
    auto serving =
        net::make_serving_certificate(made.authority, all, {.now = now, .length = kServingLength});
    if (!serving) {
        return serving.error();
    }
    made.serving = std::move(*serving);
    return made;
}

api::StringMap to_secret_data(const WebhookCertificates& certificates) {
    return {
        {"ca.crt", kube::encode_base64(certificates.authority.certificate_pem)},
        {"ca.key", kube::encode_base64(certificates.authority.private_key_pem)},
        {"tls.crt", kube::encode_base64(certificates.serving.certificate_pem)},
        {"tls.key", kube::encode_base64(certificates.serving.private_key_pem)},
    };
}

Result<WebhookCertificates> load_certificates(const std::string& folder) {
    WebhookCertificates loaded;
    const auto certificate = kube::read_small_file(folder + "/tls.crt");
    if (!certificate) {
        return certificate.error();
    }
    const auto key = kube::read_small_file(folder + "/tls.key");
    if (!key) {
        return key.error();
    }
    loaded.serving = {*certificate, *key};
    auto authority = kube::read_small_file(folder + "/ca.crt");
    if (authority) {
        loaded.authority.certificate_pem = std::move(*authority);
    } else if (authority.error().code != ErrorCode::NotFound) {
        return authority.error();
    }
    return loaded;
}

}  // namespace sluice::controller
