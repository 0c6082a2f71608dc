// Lets only those requests through to a handler that the API server authorizes.
#pragma once

#include "net/http/http_server.hpp"
#include "serving/access_reviews.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::serving {

/// Passes a request to another handler only if the API server authorizes it: it accepts the bearer
/// token, and its user has permission for the path (nonResourceURLs). Other requests get 401
/// without a valid token, 403 without permission, and 500 if the API server cannot be asked.
class AuthorizedHandler final : public net::HttpHandler {
  public:
    /// Lifetime: the reviews must outlive this object.
    AuthorizedHandler(std::shared_ptr<net::HttpHandler> inner, AccessReviews& reviews)
        : inner_(std::move(inner)), reviews_(reviews) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override {
        return inner_->judge_head(method, path);
    }

  private:
    /// Returns the refusal to send to the client; nullopt if the request is authorized.
    boost::asio::awaitable<std::optional<net::ServerResponse>> judge(
        std::string token, Access access
    );

    std::shared_ptr<net::HttpHandler> inner_;
    AccessReviews& reviews_;
};

}  // namespace sluice::serving
