#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/process/conversion_handler.hpp"
#include "controller/process/conversion_publication.hpp"
#include "controller/process/webhook_certificates.hpp"
#include "kube/client/client.hpp"
#include "net/event_loop.hpp"
#include "net/http_server.hpp"
#include "net/worker_threads.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::controller {

/// Serves the conversion between the two API versions, on threads of its own, and tells the API
/// server how to reach it. Every replica serves; by URL one of them is asked, as long as it
/// answers.
class ConversionService {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        const config::Configuration& configuration;
        bool in_cluster =
            false;  ///< reached by the Service; outside by URL when a host is configured
    };

    explicit ConversionService(const Parts& parts);
    ~ConversionService();
    ConversionService(const ConversionService&) = delete;
    ConversionService& operator=(const ConversionService&) = delete;

    /// Gets or makes the certificates and listens. Errors: those of the calls; Unavailable when the
    /// port is taken.
    kube::Async<void> start();
    /// Writes address and authority into the definitions that differ between the versions. Those
    /// that are as they must be are left alone, and those that name another replica which answers.
    kube::Async<void> publish();
    /// Renews the certificate when it comes near its end or was changed, and publishes again.
    kube::Async<void> check();
    /// Checks from time to time, until cancelled.
    boost::asio::awaitable<void> keep();
    bool is_serving() const { return server_ != nullptr; }
    /// What it is reached by, "" by the Service. Requires: it serves.
    std::string url() const;
    boost::asio::awaitable<void> stop(Duration grace);

  private:
    kube::Async<WebhookCertificates> shared_certificates();
    kube::Async<std::string> write_secret(
        kube::ResourcePath path, WebhookCertificates certificates, std::string resource_version
    );
    kube::Async<void> publish_to(std::string definition);
    std::vector<std::string> names() const;
    /// Whether a webhook answers with a certificate of the authority that is published with it.
    boost::asio::awaitable<bool> answers(PublishedWebhook webhook);
    WebhookAddress address() const;
    bool is_by_url() const;

    Parts parts_;
    // The loop outlives the workers, whose ends it is told, and those the handler.
    std::unique_ptr<net::LoopThread> thread_;
    std::unique_ptr<net::WorkerThreads> workers_;
    std::unique_ptr<ConversionHandler> handler_;
    std::unique_ptr<net::HttpServer> server_;
    WebhookCertificates certificates_;
    std::map<PublishedWebhook, bool> answering_;  ///< others that were asked in this round
};

}  // namespace sluice::controller
