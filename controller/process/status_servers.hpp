// Servers of health probes, metrics and profiles, in their own thread.
#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/process/heartbeat.hpp"
#include "kube/client/client.hpp"
#include "net/http/http_server.hpp"
#include "serving/certificate_source.hpp"
#include "serving/delegated_authorization.hpp"
#include "serving/secure_server.hpp"
#include "serving/server_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sluice::controller {

/// Serves the health and readiness probes, the metrics and the profiles of the program in their own
/// thread: a long cycle does not delay probes, and many clients do not delay a cycle or the renewal
/// of the lease.
class StatusServers {
  public:
    /// Returns the page of metrics. Thread: that of the servers.
    using PrintMetrics = std::function<std::string()>;

    /// `reviews` asks the API server who may read the metrics, only on the servers' thread; if it
    /// is nullptr, everyone may. The probes fail while the heartbeat is late. Lifetime: clock,
    /// configuration and heartbeat must outlive this object.
    StatusServers(
        const Clock& clock,
        const config::Configuration& configuration,
        const Heartbeat& heartbeat,
        PrintMetrics print_metrics,
        std::unique_ptr<kube::Client> reviews = nullptr
    );

    ~StatusServers();
    StatusServers(const StatusServers&) = delete;
    StatusServers& operator=(const StatusServers&) = delete;

    /// Listens on the configured addresses: plain HTTP for probes and profiles, HTTPS for metrics.
    /// The metrics use a self-made certificate, because clients do not verify it; without
    /// internalCertManagement they use tls.crt in /etc/kueue/metrics/certs, if it exists. Errors,
    /// with the setting: Invalid for an address, Unavailable if it is in use.
    kube::Async<void> start();
    /// Renews the certificate before it expires, until cancelled.
    boost::asio::awaitable<void> keep();
    /// Sets the result of /readyz. Thread: any.
    void set_ready(bool is_ready) { *is_ready_ = is_ready; }
    /// Stops the servers; gives running requests at most a second.
    void stop();

    /// Port of /healthz and /readyz; 0 if they are not served.
    std::uint16_t health_port() const { return health_ == nullptr ? 0 : health_->port(); }
    /// Port of /metrics; 0 if it is not served.
    std::uint16_t metrics_port() const { return metrics_.port(); }

  private:
    Result<void> start_health();
    Result<void> start_profiles();
    kube::Async<void> start_metrics();

    const config::Configuration& configuration_;
    const Heartbeat& heartbeat_;
    PrintMetrics print_metrics_;
    std::shared_ptr<std::atomic<bool>> is_ready_ = std::make_shared<std::atomic<bool>>(false);
    serving::ServerThread thread_;
    std::unique_ptr<kube::Client> reviews_;         // its connections belong to the thread
    std::optional<serving::AccessReviews> access_;  ///< without it, everyone may read the metrics
    std::unique_ptr<serving::CertificateSource> certificates_;
    net::HttpServer* health_ = nullptr;
    net::HttpServer* profiles_ = nullptr;
    serving::SecureServer metrics_;
};

}  // namespace sluice::controller
