#pragma once

#include "net/http/http_server.hpp"
#include "serving/access_reviews.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::serving {

/// Lets only those requests through to another handler that the API server allows: it knows their
/// bearer token, and its user has the right to the path (nonResourceURLs). The others get 401
/// without a valid token, 403 without the right, 500 where the API server does not say.
class AuthorizedHandler final : public net::HttpHandler {
  public:
    /// Lifetime: the reviews must outlive it.
    AuthorizedHandler(std::shared_ptr<net::HttpHandler> inner, AccessReviews& reviews)
        : inner_(std::move(inner)), reviews_(reviews) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override {
        return inner_->judge_head(method, path);
    }

  private:
    /// None: it may. Else the answer for the client.
    boost::asio::awaitable<std::optional<net::ServerResponse>> judge(
        std::string token, Access access
    );

    std::shared_ptr<net::HttpHandler> inner_;
    AccessReviews& reviews_;
};

}  // namespace sluice::serving
