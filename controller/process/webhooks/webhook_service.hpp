#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/process/webhooks/admission_handler.hpp"
#include "kube/client/client.hpp"
#include "metrics/runtime_metrics.hpp"
#include "net/loop/worker_threads.hpp"
#include "net/transport/listening_socket.hpp"
#include "serving/gradual_certificates.hpp"
#include "serving/secure_server.hpp"
#include "serving/server_thread.hpp"
#include "serving/webhook_address.hpp"
#include "serving/webhook_publisher.hpp"

#include <map>
#include <memory>
#include <string>

namespace sluice::controller {

/// The webhooks of a replica, served on threads of their own, and what tells the API server how to
/// reach them. Every replica serves; by URL one of them is asked, as long as it answers. A webhook
/// is an entry of make_table(), and of make_targets() where an object names it.
class WebhookService {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        const config::Configuration& configuration;
        bool in_cluster =
            false;  ///< reached by the Service; outside by URL when a host is configured
        std::map<std::string, AdmissionJudge> admissions = {};  ///< by path
        /// The same for paths of kinds that come at run time, by what they begin with.
        std::map<std::string, AdmissionJudge> later_admissions = {};
        metrics::RuntimeMetrics* metrics = nullptr;  ///< none: nothing is counted
        /// Listens already at the address of the configuration. None: it is opened.
        std::shared_ptr<net::ListeningSocket> socket = nullptr;
    };

    explicit WebhookService(const Parts& parts);
    ~WebhookService();
    WebhookService(const WebhookService&) = delete;
    WebhookService& operator=(const WebhookService&) = delete;

    /// Gets or makes the certificates and listens. By the Service, their authority is published
    /// first, if it can be. Errors: those of the calls; Unavailable when the port is taken.
    kube::Async<void> start();
    /// Writes address and authority into the objects that name the webhooks. Those that are as they
    /// must be are left alone, and those that name another replica which answers.
    kube::Async<void> publish();
    /// Takes a certificate that was renewed or changed into use, and publishes again.
    kube::Async<void> check();
    /// Checks from time to time, until cancelled.
    boost::asio::awaitable<void> keep();
    bool is_serving() const { return server_.is_serving(); }
    /// "https://host:port", "" by the Service. Requires: it serves.
    std::string origin() const;
    /// Returns the certificate that is shown; nullptr if it does not serve.
    const serving::ServingCertificates* find_shown() const { return server_.find_shown(); }
    boost::asio::awaitable<void> stop(Duration grace);

  private:
    /// The address under the authorities of the certificates that are or will be shown.
    serving::WebhookAddress address(std::string authority_pem) const;
    kube::Async<void> publish_before_serving();
    bool is_by_url() const;

    Parts parts_;
    // The loop outlives the workers, whose ends it is told.
    serving::ServerThread thread_;
    net::WorkerThreads workers_;
    serving::GradualCertificates certificates_;
    serving::SecureServer server_;
    serving::WebhookPublisher publisher_;
};

}  // namespace sluice::controller
