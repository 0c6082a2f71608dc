#pragma once

#include "controller/visibility/pending_workloads.hpp"
#include "controller/visibility/request_path.hpp"
#include "kube/client/client.hpp"
#include "net/http/http_server.hpp"
#include "serving/access_reviews.hpp"
#include "serving/delegated_authentication.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace sluice::controller {

/// Answers the requests of the visibility API (KEP-168-2) as an aggregated API server: who asks and
/// whether they may is asked of the API server, what they ask for comes from the engine's order.
class VisibilityHandler final : public net::HttpHandler {
  public:
    /// What waits in a queue; none: there is no such queue. Thread: that of the server. Errors:
    /// Unavailable.
    using FindPending = std::function<boost::asio::awaitable<Result<std::optional<PendingRows>>>(
        VisibilityPath, workload::PendingPage
    )>;

    struct Parts {
        serving::DelegatedAuthentication& authentication;
        serving::AccessReviews& reviews;
        FindPending find_pending;
    };
    /// Lifetime: what the parts refer to must outlive it.
    explicit VisibilityHandler(Parts parts) : parts_(std::move(parts)) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override;

  private:
    /// The answer for a client that is unknown, or has not the right. None: it may go on.
    boost::asio::awaitable<std::optional<net::ServerResponse>> refuse(
        const net::ServerRequest* request, const std::optional<VisibilityPath>* path
    );
    boost::asio::awaitable<net::ServerResponse> answer_pending(
        const net::ServerRequest* request, VisibilityPath path
    );

    Parts parts_;
};

}  // namespace sluice::controller
