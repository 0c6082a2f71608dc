// Server of the visibility and insight APIs, in its own thread.
#pragma once

#include "base/clock.hpp"
#include "config/configuration.hpp"
#include "controller/insight/insight_handler.hpp"
#include "controller/insight/insight_source.hpp"
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
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Serves the visibility API in its own thread, on every replica.
class VisibilityService {
  public:
    struct Parts {
        const Clock& clock;
        const config::Configuration& configuration;
        LoopCalls& calls;
        PendingWorkloads& pending;     ///< used on the loop of `calls`
        const InsightSource& insight;  ///< used on the loop of `calls`
        /// Returns the certificate of the webhooks, whose CA the APIServices trust. If it is empty,
        /// the visibility API makes its own certificate in memory.
        std::function<const serving::ServingCertificates*()> find_certificate = {};
    };
    /// The client sends access reviews, only on the server's thread. Lifetime: objects that the
    /// parts refer to must outlive this object.
    VisibilityService(const Parts& parts, std::unique_ptr<kube::Client> client);
    ~VisibilityService();
    VisibilityService(const VisibilityService&) = delete;
    VisibilityService& operator=(const VisibilityService&) = delete;

    /// Listens, and keeps the certificate up to date, until cancelled. If it cannot listen, it logs
    /// this and retries: jobs are admitted without the visibility API.
    boost::asio::awaitable<void> run();
    /// Stops the server; gives running requests at most a second.
    void stop();
    /// The port that it listens on; 0 if it does not serve yet.
    std::uint16_t port() const { return server_.port(); }

  private:
    kube::Async<void> start();
    InsightCalls make_insight_calls();

    Parts parts_;
    serving::ServerThread thread_;  // its loop outlives the client's connections and their timers
    std::unique_ptr<kube::Client> client_;
    serving::AccessReviews reviews_;
    serving::DelegatedAuthentication authentication_;
    std::unique_ptr<serving::CertificateSource> certificates_;
    serving::SecureServer server_;
};

}  // namespace sluice::controller
