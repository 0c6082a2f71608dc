// A request that is being received: its head is checked, its body kept within the limits.
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

/// A request that is being received. The handler decides about it by its head, before any part of
/// its body is kept. The body stays within the limits of handler, server and budget. Only net/*.cpp
/// use it.
class IncomingRequest {
  public:
    /// Lifetime: handler, options and budget must outlive this object.
    IncomingRequest(const HttpHandler& handler, const ServerOptions& options, Budget& budget);
    IncomingRequest(const IncomingRequest&) = delete;
    IncomingRequest& operator=(const IncomingRequest&) = delete;
    ~IncomingRequest() = default;

    HttpParser& parser() { return parser_; }
    bool is_head() const { return parser_.method() == "HEAD"; }
    bool is_refused() const { return refusal_.has_value(); }
    /// Returns the response that replaces the handler's. Requires: is_refused(); call it once.
    ServerResponse take_refusal() { return std::move(refusal_).value_or(ServerResponse{}); }
    /// Returns the request. Requires: it was received whole; call it once.
    ServerRequest take(std::string peer);
    /// The bytes of the server's budget that this request holds.
    Share& share() { return share_; }
    /// Drops the part of the body that was received.
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
    std::optional<ServerResponse> too_large_;  ///< replaces the plain 413
    HttpParser parser_;
};

/// Returns a response whose body is only the status' reason phrase.
ServerResponse make_plain_response(int status);
/// Returns the response to a body of more than `bytes_max` bytes.
ServerResponse make_too_large_response(std::size_t bytes_max);

}  // namespace sluice::net
