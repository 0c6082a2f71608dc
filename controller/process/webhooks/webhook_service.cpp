#include "controller/process/webhooks/webhook_service.hpp"

#include "api/insight/insight_names.hpp"
#include "api/kueue/kueue_names.hpp"
#include "base/log.hpp"
#include "controller/process/webhooks/admission_publication.hpp"
#include "controller/process/webhooks/aggregation_publication.hpp"
#include "controller/process/webhooks/conversion_handler.hpp"
#include "controller/process/webhooks/conversion_publication.hpp"
#include "controller/process/webhooks/measured_handler.hpp"
#include "controller/process/webhooks/tls_settings.hpp"
#include "net/loop/event_loop.hpp"
#include "serving/path_table.hpp"

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// The kinds that are served in two versions.
constexpr std::string_view kConvertedKinds[] = {
    "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads"
};
/// Limits how long no replica answers after the URL's replica has ended.
constexpr Duration kCertificatePeriod = std::chrono::seconds(15);
/// Before a certificate of a new CA is used, each replica has checked once more, and has repaired
/// anything that it wrote from an older state.
constexpr Duration kShownAfter = 2 * kCertificatePeriod;
/// How long a replica may be without the API server and still use the previous certificate.
constexpr Duration kSettledAfter = std::chrono::hours(1);
/// Number of large reviews that are converted at a time.
constexpr std::size_t kWorkers = 4;

bool is_reached_by_url(const WebhookService::Parts& parts) {
    return !parts.in_cluster && names_own_address(parts.configuration.webhook);
}

/// Returns the names by which the API server may call the webhooks and the visibility API, which
/// uses their certificate.
std::vector<std::string> make_names(const WebhookService::Parts& parts) {
    const std::string service = parts.configuration.internal_cert_management.webhook_service_name +
                                "." + parts.configuration.namespace_;
    std::vector<std::string> names = {service, service + ".svc", service + ".svc.cluster.local"};
    if (is_reached_by_url(parts)) {
        names.push_back(serving::canonical_host(parts.configuration.webhook.host));
    }
    for (std::string& name : visibility_names(parts.configuration)) {
        names.push_back(std::move(name));
    }
    return names;
}

std::unique_ptr<serving::CertificateSource> make_webhook_source(const WebhookService::Parts& parts
) {
    const config::InternalCertManagement& own = parts.configuration.internal_cert_management;
    if (!own.enable) {
        return std::make_unique<serving::FileCertificates>(parts.configuration.webhook.cert_dir);
    }
    return std::make_unique<serving::SecretCertificates>(serving::SecretCertificates::Parts{
        .client = parts.client,
        .clock = parts.clock,
        .secret_namespace = parts.configuration.namespace_,
        .secret_name = own.webhook_secret_name,
        .names = make_names(parts),
    });
}

/// Kueue's limit: a review contains an object twice, and etcd stores none above 1.5 MB.
constexpr std::size_t kReviewBytesMax = std::size_t{7} << 20;

std::shared_ptr<serving::PathTable> make_table(
    net::WorkerThreads& workers, const WebhookService::Parts& parts
) {
    auto table = std::make_shared<serving::PathTable>();
    const auto measured = [&](const std::string& path, std::shared_ptr<net::HttpHandler> handler
                          ) -> std::shared_ptr<net::HttpHandler> {
        if (parts.metrics == nullptr) {
            return handler;
        }
        return std::make_shared<MeasuredHandler>(
            std::move(handler), path, *parts.metrics, parts.clock
        );
    };
    const std::string conversion(kConversionPath);
    table->add_review(
        conversion,
        measured(conversion, std::make_shared<ConversionHandler>(workers)),
        std::numeric_limits<std::size_t>::max()
    );
    for (const auto& [path, judge] : parts.admissions) {
        auto handler = measured(path, std::make_shared<AdmissionHandler>(judge));
        table->add_review(path, std::move(handler), kReviewBytesMax);
    }
    for (const auto& [prefix, judge] : parts.later_admissions) {
        auto handler = measured(prefix, std::make_shared<AdmissionHandler>(judge));
        table->add_reviews(prefix, std::move(handler), kReviewBytesMax);
    }
    return table;
}

/// Adds the APIServices of the visibility and insight APIs. Clusters without it need not grant
/// permission for them.
void add_aggregation_targets(std::vector<serving::PublicationTarget>& targets) {
    for (const auto& [version, group] :
         {std::pair("v1beta1", api::kVisibilityGroup),
          std::pair("v1beta2", api::kVisibilityGroup),
          std::pair(api::kInsightVersion, api::kInsightGroup)}) {
        targets.push_back({
            .path =
                {"apiregistration.k8s.io",
                 "v1",
                 "apiservices",
                 "",
                 std::string(version) + "." + group,
                 ""},
            .kind = "APIService",
            .make_patch = aggregation_patch,
            .find_other =
                [](const json::Value&, const serving::WebhookAddress&) {
                    return std::optional<serving::PublishedWebhook>();
                },
            .may_be_forbidden = true,
        });
    }
}

std::vector<serving::PublicationTarget> make_targets(const config::Configuration& configuration) {
    std::vector<serving::PublicationTarget> targets;
    for (const std::string_view kind : kConvertedKinds) {
        targets.push_back({
            .path =
                {"apiextensions.k8s.io",
                 "v1",
                 "customresourcedefinitions",
                 "",
                 std::string(kind) + "." + api::kKueueGroup,
                 ""},
            .kind = "CustomResourceDefinition",
            .make_patch = publication_patch,
            .find_other = find_other_conversion,
        });
    }
    for (const auto& [resource, kind, name] :
         {std::tuple(
              "mutatingwebhookconfigurations",
              "MutatingWebhookConfiguration",
              kMutatingConfiguration
          ),
          std::tuple(
              "validatingwebhookconfigurations",
              "ValidatingWebhookConfiguration",
              kValidatingConfiguration
          )}) {
        targets.push_back({
            .path = {"admissionregistration.k8s.io", "v1", resource, "", name, ""},
            .kind = kind,
            .make_patch = admission_patch,
            .find_other = find_other_admission,
        });
    }
    if (configuration.internal_cert_management.enable) {
        add_aggregation_targets(targets);
    }
    return targets;
}

}  // namespace

WebhookService::WebhookService(const Parts& parts)
    : parts_(parts),
      thread_("webhook"),
      workers_("conversion", kWorkers),
      certificates_(
          make_webhook_source(parts),
          parts.clock,
          {.shown_after = kShownAfter, .settled_after = kSettledAfter}
      ),
      server_(thread_, certificates_),
      publisher_(parts.client, make_targets(parts.configuration)) {}

/// Joined before the workers end: a request must not use a worker afterwards.
WebhookService::~WebhookService() {
    thread_.join();
}

bool WebhookService::is_by_url() const {
    return is_reached_by_url(parts_);
}

/// Publishes a new CA before the server listens: the API server may call it at once.
kube::Async<void> WebhookService::publish_before_serving() {
    const auto certificates = co_await certificates_.current();
    if (!certificates) {
        co_return certificates.error();
    }
    auto own = address(certificates->authority.certificate_pem);
    const auto published = co_await publisher_.publish(std::move(own));
    if (!published) {
        log::debug(
            "webhook CA is published after the start", {{"error", published.error().detail}}
        );
    }
    co_return Result<void>();
}

kube::Async<void> WebhookService::start() {
    if (!is_by_url()) {
        const auto published = co_await publish_before_serving();
        if (!published) {
            co_return with_context(published.error(), "webhook server");
        }
    }
    net::ServerOptions options;
    options.address = parts_.configuration.webhook.host;
    options.port = static_cast<std::uint16_t>(parts_.configuration.webhook.port);
    options.socket = parts_.socket;
    apply_tls(options, parts_.configuration.tls);
    auto table = make_table(workers_, parts_);
    const auto started = co_await server_.start(std::move(table), std::move(options));
    if (!started) {
        co_return with_context(started.error(), "webhook server");
    }
    co_return Result<void>();
}

std::string WebhookService::origin() const {
    if (!is_by_url()) {
        return "";
    }
    const std::string host = serving::canonical_host(parts_.configuration.webhook.host);
    return serving::make_origin(host, server_.port());
}

serving::WebhookAddress WebhookService::address(std::string authority_pem) const {
    // While certificate files are replaced, they differ between replicas, however long that takes.
    const bool keeps_others =
        !parts_.configuration.internal_cert_management.enable || !certificates_.is_settled();
    return {
        .origin = origin(),
        .service_name = parts_.configuration.internal_cert_management.webhook_service_name,
        .service_namespace = parts_.configuration.namespace_,
        .authority_pem = std::move(authority_pem),
        .keeps_valid_at = keeps_others ? std::optional(parts_.clock.now()) : std::nullopt,
    };
}

kube::Async<void> WebhookService::publish() {
    const std::string authorities = server_.authority_pem();
    auto own = address(authorities);
    const auto published = co_await publisher_.publish(std::move(own));
    if (published) {
        certificates_.note_published(authorities);
    }
    co_return published;
}

kube::Async<void> WebhookService::check() {
    const auto checked = co_await server_.check();
    if (!checked) {
        co_return with_context(checked.error(), "webhook");
    }
    const auto published = co_await publish();
    co_return published;
}

boost::asio::awaitable<void> WebhookService::keep() {
    for (;;) {
        const bool waited = co_await net::pause_for(kCertificatePeriod);
        if (!waited) {
            co_return;
        }
        const auto checked = co_await check();
        if (!checked) {
            log::warning("webhook configuration check failed", {{"error", checked.error().detail}});
        }
    }
}

boost::asio::awaitable<void> WebhookService::stop(Duration grace) {
    if (is_serving()) {
        thread_.stop(grace);
    }
    co_return;
}

}  // namespace sluice::controller
