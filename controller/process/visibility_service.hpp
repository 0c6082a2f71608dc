#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/process/webhooks/loop_calls.hpp"
#include "controller/visibility/pending_workloads.hpp"
#include "kube/client/client.hpp"
#include "serving/access_reviews.hpp"
#include "serving/certificate_source.hpp"
#include "serving/delegated_authentication.hpp"
#include "serving/secure_server.hpp"
#include "serving/server_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace sluice::controller {

/// Serves the visibility API on a thread of its own. Every replica serves it.
class VisibilityService {
  public:
    struct Parts {
        const Clock& clock;
        const config::Configuration& configuration;
        LoopCalls& calls;
        PendingWorkloads& pending;  ///< on the loop of the calls
        /// Finds the certificate of the webhooks, whose authority the APIServices know. Empty: the
        /// visibility API makes a certificate in memory.
        std::function<const serving::ServingCertificates*()> find_certificate = {};
    };
    /// The client asks the API server who may see what, on the thread of the server alone.
    /// Lifetime: what the parts refer to must outlive it.
    VisibilityService(const Parts& parts, std::unique_ptr<kube::Client> client);
    ~VisibilityService();
    VisibilityService(const VisibilityService&) = delete;
    VisibilityService& operator=(const VisibilityService&) = delete;

    /// Listens, and keeps the certificate up to date, until cancelled. Where it cannot listen it
    /// says so and tries again: jobs are admitted without it.
    boost::asio::awaitable<void> run();
    /// Waits for running requests for at most a second.
    void stop();
    /// 0: it does not serve yet.
    std::uint16_t port() const { return server_.port(); }

  private:
    kube::Async<void> start();

    Parts parts_;
    serving::ServerThread thread_;  // its loop outlives the client's connections and their timers
    std::unique_ptr<kube::Client> client_;
    serving::AccessReviews reviews_;
    serving::DelegatedAuthentication authentication_;
    std::unique_ptr<serving::CertificateSource> certificates_;
    serving::SecureServer server_;
};

}  // namespace sluice::controller
