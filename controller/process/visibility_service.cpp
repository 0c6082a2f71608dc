#include "controller/process/visibility_service.hpp"

#include "base/log.hpp"
#include "controller/process/webhooks/aggregation_publication.hpp"
#include "controller/process/webhooks/tls_settings.hpp"
#include "controller/visibility/visibility_handler.hpp"
#include "net/loop/event_loop.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

constexpr Duration kStopGrace = std::chrono::seconds(1);
constexpr Duration kRetry = std::chrono::seconds(10);
constexpr Duration kCheckPeriod = std::chrono::minutes(1);
/// As long as in aggregated API servers of Kubernetes.
constexpr Duration kKeepGranted = std::chrono::seconds(10);
/// The folder in which Kueue's chart mounts the certificate of cert-manager.
constexpr const char* kCertificateFolder = "/visibility";

std::unique_ptr<serving::CertificateSource> make_visibility_source(
    const VisibilityService::Parts& parts
) {
    if (!parts.configuration.internal_cert_management.enable) {
        return std::make_unique<serving::FileCertificates>(kCertificateFolder);
    }
    if (parts.find_certificate) {
        return std::make_unique<serving::BorrowedCertificates>(parts.find_certificate);
    }
    return std::make_unique<serving::SelfMadeCertificates>(
        parts.clock, "kueue-visibility", visibility_names(parts.configuration)
    );
}

/// Clients are API servers, which keep a few connections each.
net::ServerOptions make_visibility_limits(const config::VisibilityServer& wanted) {
    net::ServerOptions options;
    options.address = wanted.bind_address;
    options.port = static_cast<std::uint16_t>(wanted.bind_port);
    options.connections_max = 1'024;
    options.connections_per_peer_max = 512;
    options.body_bytes_max = kWhatIfBytesMax;
    options.bytes_in_flight_max = std::size_t{256} * 1024 * 1024;
    options.ask_client_certificate = true;
    return options;
}

}  // namespace

VisibilityService::VisibilityService(const Parts& parts, std::unique_ptr<kube::Client> client)
    : parts_(parts),
      thread_("visibility"),
      client_(std::move(client)),
      reviews_(*client_, parts_.clock, kKeepGranted),
      authentication_(*client_, reviews_, parts_.clock),
      certificates_(make_visibility_source(parts_)),
      server_(thread_, *certificates_) {}

VisibilityService::~VisibilityService() {
    thread_.join();
}

kube::Async<void> VisibilityService::start() {
    auto find = [this](VisibilityPath path, workload::PendingPage page) {
        return parts_.calls.call<std::optional<PendingRows>>(
            [this, path = std::move(path), page]() -> Result<std::optional<PendingRows>> {
                return parts_.pending.find(path, page);
            }
        );
    };
    auto handler = std::make_shared<VisibilityHandler>(VisibilityHandler::Parts{
        authentication_, reviews_, std::move(find), make_insight_calls(), parts_.clock
    });
    auto options = make_visibility_limits(parts_.configuration.visibility_server);
    apply_tls(options, parts_.configuration.tls);
    const auto started = co_await server_.start(std::move(handler), std::move(options));
    co_return started;
}

InsightCalls VisibilityService::make_insight_calls() {
    InsightCalls made;
    made.find_situation = [this](InsightPath path) {
        return parts_.calls.call<std::optional<insight::Situation>>(
            [this, path = std::move(path)]() -> Result<std::optional<insight::Situation>> {
                return parts_.insight.take_situation(path);
            }
        );
    };
    made.find_situations = [this](InsightPath path, InsightPage page) {
        return parts_.calls.call<std::vector<insight::Situation>>(
            [this, path = std::move(path), page = std::move(page)](
            ) -> Result<std::vector<insight::Situation>> {
                return parts_.insight.take_situations(path, page);
            }
        );
    };
    made.plan_change = [this](InsightPath path, std::vector<api::WhatIfEdit> edits) {
        return parts_.calls.call<insight::PlannedChange>(
            [this, path = std::move(path), edits = std::move(edits)] {
                return parts_.insight.plan_change(path, edits);
            }
        );
    };
    return made;
}

boost::asio::awaitable<void> VisibilityService::run() {
    for (std::string logged;;) {
        auto step = server_.is_serving() ? server_.check() : start();
        const auto done = co_await std::move(step);
        const std::string problem = done ? "" : done.error().detail;
        if (!problem.empty() && problem != logged) {
            log::warning("visibility API server check failed; retrying", {{"error", problem}});
        }
        logged = problem;
        const bool waited = co_await net::pause_for(done ? kCheckPeriod : kRetry);
        if (!waited) {
            co_return;
        }
    }
}

void VisibilityService::stop() {
    thread_.stop(kStopGrace);
}

}  // namespace sluice::controller
