#include "serving/certificates.hpp"

#include "kube/client/client_config.hpp"
#include "kube/core/base64.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace sluice::serving {

namespace {

constexpr Duration kAuthorityLength = std::chrono::hours(24 * 365 * 10);
constexpr Duration kServingLength = std::chrono::hours(24 * 365);
/// Certificates are renewed this long before their end.
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

bool counts(const net::CertificateAndKey& certificate, Time now) {
    return !certificate.private_key_pem.empty() && counts(certificate.certificate_pem, now);
}

}  // namespace

bool is_good_for(
    const ServingCertificates& certificates, const std::vector<std::string>& names, Time now
) {
    const auto& [authority, serving] = certificates;
    if (!counts(authority, now) || !counts(serving, now)) {
        return false;
    }
    const auto is_signed = net::is_signed_by(serving.certificate_pem, authority.certificate_pem);
    const auto info = net::parse_certificate(serving.certificate_pem);
    const bool has_names = info && std::ranges::all_of(names, [&info](const std::string& name) {
                               return std::ranges::find(info->names, name) != info->names.end();
                           });
    return is_signed && *is_signed && has_names;
}

Result<ServingCertificates> make_certificates(
    const ServingCertificates& present,
    const std::string& authority_name,
    const std::vector<std::string>& names,
    Time now
) {
    ServingCertificates made;
    if (counts(present.authority, now)) {
        made.authority = present.authority;
    } else {
        auto fresh = net::make_authority(authority_name, {.now = now, .length = kAuthorityLength});
        if (!fresh) {
            return fresh.error();
        }
        made.authority = std::move(*fresh);
    }
    std::vector<std::string> all = names;
    if (const auto shown = net::parse_certificate(present.serving.certificate_pem)) {
        // Keep the names of other replicas.
        std::ranges::copy_if(
            shown->names,
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

ServingCertificates from_secret(const api::Secret& secret) {
    return {
        .authority = {decoded(secret, "ca.crt"), decoded(secret, "ca.key")},
        .serving = {decoded(secret, "tls.crt"), decoded(secret, "tls.key")},
    };
}

api::StringMap to_secret_data(const ServingCertificates& certificates) {
    return {
        {"ca.crt", kube::encode_base64(certificates.authority.certificate_pem)},
        {"ca.key", kube::encode_base64(certificates.authority.private_key_pem)},
        {"tls.crt", kube::encode_base64(certificates.serving.certificate_pem)},
        {"tls.key", kube::encode_base64(certificates.serving.private_key_pem)},
    };
}

Result<ServingCertificates> load_certificates(const std::string& folder) {
    ServingCertificates loaded;
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

}  // namespace sluice::serving
