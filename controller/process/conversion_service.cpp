#include "controller/process/conversion_service.hpp"

#include "api/codec.hpp"
#include "base/log.hpp"
#include "json/value.hpp"
#include "net/http_client.hpp"
#include "net/tls.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kDefinitions[] = {
    "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads"
};
/// How long at most nobody converts after the one that is asked has gone.
constexpr Duration kCheckPeriod = std::chrono::seconds(15);
/// The API server itself waits for 30 seconds.
constexpr Duration kAnswerLimit = std::chrono::seconds(5);
constexpr int kSecretAttempts = 10;
/// Large reviews that are converted at a time.
constexpr std::size_t kWorkers = 4;

std::string in_brackets(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

ConversionService::ConversionService(const Parts& parts)
    : parts_(parts),
      thread_(std::make_unique<net::LoopThread>("webhook")),
      workers_(std::make_unique<net::WorkerThreads>("conversion", kWorkers)),
      handler_(std::make_unique<ConversionHandler>(*workers_)) {}

ConversionService::~ConversionService() {
    thread_->join();
    server_.reset();
}

bool ConversionService::is_by_url() const {
    return !parts_.in_cluster && !is_any_address(parts_.configuration.webhook.host);
}

std::vector<std::string> ConversionService::names() const {
    const std::string service = parts_.configuration.internal_cert_management.webhook_service_name +
                                "." + parts_.configuration.namespace_;
    std::vector<std::string> names = {service, service + ".svc", service + ".svc.cluster.local"};
    if (is_by_url()) {
        names.push_back(canonical_host(parts_.configuration.webhook.host));
    }
    return names;
}

kube::Async<std::string> ConversionService::write_secret(
    kube::ResourcePath path, WebhookCertificates certificates, std::string resource_version
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

kube::Async<WebhookCertificates> ConversionService::shared_certificates() {
    if (!parts_.configuration.internal_cert_management.enable) {
        co_return load_certificates(parts_.configuration.webhook.cert_dir);
    }
    const kube::ResourcePath path = kube::path_of<api::Secret>(
        parts_.configuration.namespace_,
        parts_.configuration.internal_cert_management.webhook_secret_name
    );
    Error last;
    for (int attempt = 0; attempt < kSecretAttempts; ++attempt) {
        api::Secret secret;
        const kube::GetOptions get_options;
        const auto text = co_await parts_.client.get(path, get_options);
        if (text) {
            auto decoded = api::decode<api::Secret>(*text);
            if (!decoded) {
                co_return decoded.error();
            }
            secret = std::move(*decoded);
        } else if (text.error().code != ErrorCode::NotFound) {
            co_return with_context(text.error(), "Secret " + path.name);
        }
        const Time now = parts_.clock.now();
        if (auto found = read_certificates(secret, names(), now)) {
            co_return *found;
        }
        const auto made = renew_certificates(secret, names(), now);
        if (!made) {
            co_return made.error();
        }
        // Another replica may do the same: the version decides who was first, the others read
        // again.
        std::string version = text ? secret.metadata.resource_version : std::string();
        const auto written = co_await write_secret(path, *made, std::move(version));
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

kube::Async<void> ConversionService::start() {
    auto certificates = co_await shared_certificates();
    if (!certificates) {
        co_return certificates.error();
    }
    certificates_ = std::move(*certificates);
    net::ServerOptions options;
    options.address = parts_.configuration.webhook.host;
    options.port = static_cast<std::uint16_t>(parts_.configuration.webhook.port);
    options.certificate_pem = certificates_.serving.certificate_pem;
    options.private_key_pem = certificates_.serving.private_key_pem;
    if (parts_.configuration.tls && !parts_.configuration.tls->min_version.empty()) {
        options.minimum_tls_version = parts_.configuration.tls->min_version;
    }
    auto server = net::HttpServer::start(thread_->loop(), *handler_, options);
    if (!server) {
        co_return with_context(server.error(), "webhook server");
    }
    server_ = std::move(*server);
    co_return Result<void>();
}

std::string ConversionService::url() const {
    if (!is_by_url()) {
        return "";
    }
    const std::string host = in_brackets(canonical_host(parts_.configuration.webhook.host));
    return fmt::format("https://{}:{}/convert", host, server_->port());
}

WebhookAddress ConversionService::address() const {
    return {
        .url = url(),
        .service_name = parts_.configuration.internal_cert_management.webhook_service_name,
        .service_namespace = parts_.configuration.namespace_,
        .authority_pem = certificates_.authority.certificate_pem,
    };
}

boost::asio::awaitable<bool> ConversionService::answers(PublishedWebhook webhook) {
    if (const auto known = answering_.find(webhook); known != answering_.end()) {
        co_return known->second;
    }
    const auto url = parse_https_url(webhook.url);
    net::TlsClientOptions trust;
    trust.ca_pem = webhook.authority_pem;
    auto tls = net::make_client_tls(trust);
    bool is_answering = url && tls;
    if (is_answering) {
        net::HttpClientOptions options;
        options.host = url->host;
        options.port = url->port;
        options.tls = std::move(*tls);
        net::HttpClient client(options);
        net::ClientRequest request;
        request.target = url->path;
        const auto outcome = co_await client.send(std::move(request), kAnswerLimit);
        is_answering = outcome.response.has_value();
    }
    answering_.emplace(std::move(webhook), is_answering);
    co_return is_answering;
}

kube::Async<void> ConversionService::publish_to(std::string definition) {
    const kube::ResourcePath path{
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        "",
        definition + ".kueue.x-k8s.io",
        ""
    };
    const kube::GetOptions get_options;
    const auto text = co_await parts_.client.get(path, get_options);
    if (!text) {
        if (text.error().code == ErrorCode::NotFound) {
            co_return Result<void>();  // not installed: nothing of it can be asked for
        }
        co_return with_context(text.error(), "CustomResourceDefinition " + path.name);
    }
    const auto object = json::parse(*text);
    if (!object) {
        co_return object.error();
    }
    if (auto other = find_other_webhook(*object, address())) {
        const bool is_answering = co_await answers(std::move(*other));
        if (is_answering) {
            co_return Result<void>();
        }
    }
    const auto patch = publication_patch(*object, address());
    if (!patch) {
        co_return Result<void>();
    }
    const kube::WriteOptions write_options;
    std::string body = json::print(*patch);
    const auto written = co_await parts_.client.merge_patch(path, std::move(body), write_options);
    if (!written) {
        co_return with_context(written.error(), "CustomResourceDefinition " + path.name);
    }
    log::info("conversion webhook was published", {{"definition", path.name}});
    co_return Result<void>();
}

kube::Async<void> ConversionService::publish() {
    if (certificates_.authority.certificate_pem.empty() && !is_by_url()) {
        co_return Result<void>();  // whoever made the certificates fills in their authority
    }
    answering_.clear();
    for (const std::string_view definition : kDefinitions) {
        const auto published = co_await publish_to(std::string(definition));
        if (!published) {
            co_return published.error();
        }
    }
    co_return Result<void>();
}

kube::Async<void> ConversionService::check() {
    auto certificates = co_await shared_certificates();
    if (!certificates) {
        co_return with_context(certificates.error(), "webhook certificates");
    }
    if (certificates->serving.certificate_pem != certificates_.serving.certificate_pem) {
        const auto changed = server_->set_certificate(
            certificates->serving.certificate_pem, certificates->serving.private_key_pem
        );
        if (!changed) {
            co_return with_context(changed.error(), "webhook certificates");
        }
    }
    certificates_ = std::move(*certificates);
    const auto published = co_await publish();
    co_return published;
}

boost::asio::awaitable<void> ConversionService::keep() {
    for (;;) {
        const bool waited = co_await net::pause_for(kCheckPeriod);
        if (!waited) {
            co_return;
        }
        const auto checked = co_await check();
        if (!checked) {
            log::warning(
                "conversion webhook is not as it should be", {{"error", checked.error().detail}}
            );
        }
    }
}

boost::asio::awaitable<void> ConversionService::stop(Duration grace) {
    if (server_) {
        net::run_on(thread_->loop(), server_->stop(grace));
    }
    co_return;
}

}  // namespace sluice::controller
