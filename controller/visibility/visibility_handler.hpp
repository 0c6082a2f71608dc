// The HTTP handler of the visibility and insight APIs: who may ask, and the answers.
#pragma once

#include "controller/insight/insight_handler.hpp"
#include "controller/insight/insight_path.hpp"
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

/// Answers the requests of the visibility API (KEP-168-2) and of insight.sluice.dev as an
/// aggregated API server. The API server authenticates and authorizes the client; the pending
/// workloads come from the engine's order, and explanations from a fork of its state.
class VisibilityHandler final : public net::HttpHandler {
  public:
    /// Finds the pending workloads of a queue; nullopt if the queue does not exist. Thread: that of
    /// the server. Errors: Unavailable.
    using FindPending = std::function<boost::asio::awaitable<Result<std::optional<PendingRows>>>(
        VisibilityPath, workload::PendingPage
    )>;

    struct Parts {
        serving::DelegatedAuthentication& authentication;
        serving::AccessReviews& reviews;
        FindPending find_pending;
        InsightCalls insight;
        const Clock& clock;
    };
    /// Lifetime: the objects in `parts` must outlive the handler.
    explicit VisibilityHandler(Parts parts)
        : parts_(std::move(parts)), insight_(parts_.reviews, parts_.insight, parts_.clock) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override;

  private:
    /// A request by its path: at most one of the two APIs has it.
    struct Asked {
        std::optional<VisibilityPath> visibility;
        std::optional<InsightPath> insight;
    };
    static serving::Access access_to(const net::ServerRequest& request, const Asked& asked);
    static std::optional<net::ServerResponse> find_document(
        const net::ServerRequest& request, const Asked& asked
    );
    /// Sets the user. Returns the answer for a client that is not authenticated or lacks the
    /// permission; nullopt if the request may proceed.
    boost::asio::awaitable<std::optional<net::ServerResponse>> refuse(
        const net::ServerRequest* request, const Asked* asked, serving::User* user
    );
    boost::asio::awaitable<net::ServerResponse> answer_pending(
        const net::ServerRequest* request, VisibilityPath path
    );

    Parts parts_;
    InsightHandler insight_;
};

}  // namespace sluice::controller
