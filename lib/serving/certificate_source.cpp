#include "serving/certificate_source.hpp"

#include "api/core/core.hpp"
#include "api/meta/codec.hpp"
#include "base/log.hpp"
#include "json/value.hpp"

#include <utility>

namespace sluice::serving {

namespace {

constexpr int kSecretAttempts = 10;
constexpr char kSharedAuthorityName[] = "kueue-ca";

}  // namespace

kube::Async<std::string> SecretCertificates::write(
    kube::ResourcePath path, ServingCertificates certificates, std::string resource_version
) {
    json::Object data;
    for (const auto& [key, value] : to_secret_data(certificates)) {
        data.emplace_back(key, value);
    }
    json::Value body = json::Object{{"data", std::move(data)}};
    const kube::WriteOptions options;
    if (!resource_version.empty()) {
        body.set("metadata", json::Object{{"resourceVersion", resource_version}});
        std::string patch = json::print(body);
        auto patched =
            co_await parts_.client.merge_patch(std::move(path), std::move(patch), options);
        co_return patched;
    }
    body.set("apiVersion", "v1");
    body.set("kind", "Secret");
    body.set("metadata", json::Object{{"name", path.name}, {"namespace", path.namespace_}});
    path.name.clear();
    std::string object = json::print(body);
    auto created = co_await parts_.client.create(std::move(path), std::move(object), options);
    co_return created;
}

kube::Async<ServingCertificates> SecretCertificates::current() {
    const kube::ResourcePath path =
        kube::path_of<api::Secret>(parts_.secret_namespace, parts_.secret_name);
    Error last;
    for (int attempt = 0; attempt < kSecretAttempts; ++attempt) {
        api::Secret secret;
        const kube::GetOptions get_options;
        const auto text = co_await parts_.client.get(path, get_options);
        if (text) {
            auto decoded = api::decode<api::Secret>(*text);
            if (!decoded) {
                co_return with_context(decoded.error(), "Secret " + path.name);
            }
            secret = std::move(*decoded);
        } else if (text.error().code != ErrorCode::NotFound) {
            co_return with_context(text.error(), "Secret " + path.name);
        }
        const Time now = parts_.clock.now();
        const auto present = from_secret(secret);
        if (is_good_for(present, parts_.names, now)) {
            co_return present;
        }
        const auto made = make_certificates(present, kSharedAuthorityName, parts_.names, now);
        if (!made) {
            co_return made.error();
        }
        // If another replica writes at the same time, the version decides which write is first; the
        // other replicas read again.
        std::string version = text ? secret.metadata.resource_version : std::string();
        const auto written = co_await write(path, *made, std::move(version));
        if (written) {
            log::info(
                "webhook certificates were made", {{"secret", path.namespace_ + "/" + path.name}}
            );
            co_return *made;
        }
        last = written.error();
        if (last.code != ErrorCode::Conflict && last.code != ErrorCode::AlreadyExists) {
            break;
        }
    }
    co_return with_context(last, "Secret " + path.name);
}

kube::Async<ServingCertificates> FileCertificates::current() {
    co_return load_certificates(folder_);
}

kube::Async<ServingCertificates> BorrowedCertificates::current() {
    const ServingCertificates* shown = find_();
    if (shown == nullptr) {
        co_return Error{ErrorCode::Unavailable, "no server shows a certificate yet", {}};
    }
    co_return *shown;
}

kube::Async<ServingCertificates> SelfMadeCertificates::current() {
    const Time now = clock_.now();
    if (!is_good_for(made_, names_, now)) {
        auto made = make_certificates(made_, authority_name_, names_, now);
        if (!made) {
            co_return made.error();
        }
        made_ = std::move(*made);
    }
    co_return made_;
}

}  // namespace sluice::serving
