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

/// Serves the probes of health and readiness, the page of metrics and profiles of the program, on a
/// thread of their own: a long cycle delays no probe, and no crowd of clients delays a cycle or the
/// renewal of the lease.
class StatusServers {
  public:
    /// Makes the page of metrics. Thread: that of the servers.
    using PrintMetrics = std::function<std::string()>;

    /// `reviews` asks the API server who may read the metrics, on the servers' thread alone; none:
    /// everyone may. The probes fail while the heartbeat does. Lifetime: clock, configuration and
    /// heartbeat must outlive it.
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

    /// Listens where the configuration says so: the probes and profiles by plain HTTP, the metrics
    /// by HTTPS. Their certificate is of its own making, as no client is told to trust it; without
    /// internalCertManagement it is tls.crt of /etc/kueue/metrics/certs, if there is one.
    /// Errors: Invalid for an address, Unavailable where it is taken, naming the setting.
    kube::Async<void> start();
    /// Renews the certificate before its end, until cancelled.
    boost::asio::awaitable<void> keep();
    /// What /readyz answers from now on. Thread: any.
    void set_ready(bool is_ready) { *is_ready_ = is_ready; }
    /// Waits for running requests for at most a second.
    void stop();

    /// Where /healthz and /readyz are served; 0: nowhere.
    std::uint16_t health_port() const { return health_ == nullptr ? 0 : health_->port(); }
    /// Where /metrics is served; 0: nowhere.
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
    std::unique_ptr<kube::Client> reviews_;         // its connections are the thread's
    std::optional<serving::AccessReviews> access_;  ///< none: everyone may
    std::unique_ptr<serving::CertificateSource> certificates_;
    net::HttpServer* health_ = nullptr;
    net::HttpServer* profiles_ = nullptr;
    serving::SecureServer metrics_;
};

}  // namespace sluice::controller
