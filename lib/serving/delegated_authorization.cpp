#include "serving/delegated_authorization.hpp"

#include "base/log.hpp"
#include "serving/delegated_authentication.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sluice::serving {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kUnknown = 500;

std::string to_verb(std::string_view method) {
    std::string verb(method);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return verb;
}

net::ServerResponse make_unknown(const Error& error) {
    log::warning("a client could not be authorized", {{"error", error.detail}});
    return {.status = kUnknown, .body = "Authentication failed\n"};
}

}  // namespace

boost::asio::awaitable<std::optional<net::ServerResponse>> AuthorizedHandler::judge(
    std::string token, Access access
) {
    if (token.empty()) {
        co_return net::ServerResponse{.status = kUnauthorized, .body = "Unauthorized\n"};
    }
    auto user = co_await reviews_.identify(std::move(token));
    if (!user) {
        co_return make_unknown(user.error());
    }
    std::optional<User>& known = *user;
    if (!known) {
        co_return net::ServerResponse{.status = kUnauthorized, .body = "Unauthorized\n"};
    }
    const std::string name = known->name;
    const auto verdict = co_await reviews_.judge(std::move(*known), std::move(access));
    if (!verdict) {
        co_return make_unknown(verdict.error());
    }
    if (verdict->allowed) {
        co_return std::nullopt;
    }
    co_return net::ServerResponse{
        .status = kForbidden, .body = "Authorization denied for user " + name + "\n"
    };
}

boost::asio::awaitable<net::ServerResponse> AuthorizedHandler::handle(net::ServerRequest request) {
    Access access;
    access.verb = to_verb(request.method);
    access.path = request.path();
    std::string token = find_bearer_token(request.headers);
    auto refusal = co_await judge(std::move(token), std::move(access));
    if (refusal) {
        co_return std::move(*refusal);
    }
    co_return co_await inner_->handle(std::move(request));
}

}  // namespace sluice::serving
