#pragma once

#include "base/error.hpp"
#include "net/http/http_parser.hpp"
#include "net/http/http_server.hpp"
#include "net/http/server_limits.hpp"
#include "net/http/spooled_body.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::net {

/// A request while it comes: judged by its head before anything of its body is kept, its body
/// within the limits of handler, server and budget. Only net/*.cpp use it.
class IncomingRequest {
  public:
    /// Lifetime: all three must outlive it.
    IncomingRequest(const HttpHandler& handler, const ServerOptions& options, Budget& budget);
    IncomingRequest(const IncomingRequest&) = delete;
    IncomingRequest& operator=(const IncomingRequest&) = delete;
    ~IncomingRequest() = default;

    HttpParser& parser() { return parser_; }
    bool is_head() const { return parser_.method() == "HEAD"; }
    bool is_refused() const { return refusal_.has_value(); }
    /// The answer that it gets instead of the handler's. Requires: it is refused; once.
    ServerResponse take_refusal() { return std::move(refusal_).value_or(ServerResponse{}); }
    /// The request. Requires: it came whole; once.
    ServerRequest take(std::string peer);
    /// What it holds of the server's budget.
    Share& share() { return share_; }
    /// Forgets what came of its body.
    void drop_body();

  private:
    Result<void> judge();
    Result<void> append(std::string_view bytes);
    Error refuse_too_large();

    const HttpHandler& handler_;
    const ServerOptions& options_;
    Share share_;
    SpooledBody body_;
    std::size_t body_bytes_max_ = 0;
    std::optional<ServerResponse> refusal_;
    std::optional<ServerResponse> too_large_;  ///< instead of the plain answer
    HttpParser parser_;
};

/// An answer of nothing but its status' name.
ServerResponse make_plain_response(int status);
/// The answer to a body of more bytes than that.
ServerResponse make_too_large_response(std::size_t bytes_max);

}  // namespace sluice::net
