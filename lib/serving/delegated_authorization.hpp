#pragma once

#include "base/clock.hpp"
#include "kube/client/client.hpp"
#include "net/http_server.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::serving {

/// Whether a client may read a path, as the API server says: it reviews the client's bearer token
/// (TokenReview) and the right of that user to the path (SubjectAccessReview). Its answers are kept
/// for a minute, refusals for ten seconds. Thread: one, the server's.
class DelegatedAuthorization {
  public:
    /// Lifetime: both must outlive it. The client's rights: to create both kinds of reviews.
    DelegatedAuthorization(kube::Client& client, const Clock& clock)
        : client_(client), clock_(clock) {}

    /// None: it may. Else the answer for the client: 401 without a valid token, 403 without the
    /// right, 500 where the API server does not say.
    boost::asio::awaitable<std::optional<net::ServerResponse>> judge(
        std::string token, std::string method, std::string path
    );

  private:
    struct Answer {
        int status = 200;
        std::string why;
        Instant until;
    };
    kube::Async<Answer> ask(std::string token, std::string verb, std::string path);
    void keep(std::string key, Answer answer);

    kube::Client& client_;
    const Clock& clock_;
    std::map<std::string, Answer> kept_;  ///< by verb, path and token
};

/// Lets only those requests through to another handler that a DelegatedAuthorization allows.
class AuthorizedHandler final : public net::HttpHandler {
  public:
    AuthorizedHandler(
        std::shared_ptr<net::HttpHandler> inner, DelegatedAuthorization& authorization
    )
        : inner_(std::move(inner)), authorization_(authorization) {}

    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override;
    net::HeadVerdict judge_head(std::string_view method, std::string_view path) const override {
        return inner_->judge_head(method, path);
    }

  private:
    std::shared_ptr<net::HttpHandler> inner_;
    DelegatedAuthorization& authorization_;
};

}  // namespace sluice::serving
