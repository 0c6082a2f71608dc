// The webhook server of a replica, and the publication of its address.
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

/// Serves the webhooks of a replica in their own threads, and publishes their address to the API
/// server. Every replica serves. If the address is a URL, it names one replica, as long as that one
/// answers. A webhook is an entry of make_table(), and of make_targets() if an object names its
/// address.
class WebhookService {
  public:
    struct Parts {
        kube::Client& client;
        const Clock& clock;
        const config::Configuration& configuration;
        bool in_cluster =
            false;  ///< reached by the Service; outside by URL when a host is configured
        std::map<std::string, AdmissionJudge> admissions = {};  ///< by path
        /// Webhooks of kinds that are described at run time, by path prefix.
        std::map<std::string, AdmissionJudge> later_admissions = {};
        metrics::RuntimeMetrics* metrics = nullptr;  ///< if nullptr, nothing is counted
        /// Already listens at the configured address. If it is nullptr, the service opens a socket.
        std::shared_ptr<net::ListeningSocket> socket = nullptr;
    };

    explicit WebhookService(const Parts& parts);
    ~WebhookService();
    WebhookService(const WebhookService&) = delete;
    WebhookService& operator=(const WebhookService&) = delete;

    /// Reads or makes the certificates and listens. With a Service as address, their CA is
    /// published first, if possible. Errors: those of the calls; Unavailable if the port is in use.
    kube::Async<void> start();
    /// Writes address and CA into the objects that name the webhooks. Leaves correct objects
    /// unchanged, and objects that name another replica which answers.
    kube::Async<void> publish();
    /// Uses a renewed or changed certificate, and publishes again.
    kube::Async<void> check();
    /// Checks periodically, until cancelled.
    boost::asio::awaitable<void> keep();
    bool is_serving() const { return server_.is_serving(); }
    /// Returns "https://host:port", or "" if the address is a Service. Requires: it serves.
    std::string origin() const;
    /// Returns the certificate in use; nullptr if it does not serve.
    const serving::ServingCertificates* find_shown() const { return server_.find_shown(); }
    boost::asio::awaitable<void> stop(Duration grace);

  private:
    /// Returns the address with the CAs of the certificates that are or will be used.
    serving::WebhookAddress address(std::string authority_pem) const;
    kube::Async<void> publish_before_serving();
    bool is_by_url() const;

    Parts parts_;
    // Declared first: the workers report their ends to this loop.
    serving::ServerThread thread_;
    net::WorkerThreads workers_;
    serving::GradualCertificates certificates_;
    serving::SecureServer server_;
    serving::WebhookPublisher publisher_;
};

}  // namespace sluice::controller
