// Waits for the next piece of a streamed response, or for the client to disconnect.
#pragma once

#include "net/http/http_server.hpp"
#include "net/transport/stream.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace sluice::net {

/// The next piece of a body, or the reason why no piece follows.
struct NextPiece {
    std::optional<std::string> piece{};  ///< empty when the body has ended
    /// The client closed the connection, or sent data, which will not be answered.
    bool is_client_gone = false;
};

/// Waits for the next piece of a body without a time limit, as long as the client is connected.
/// Moves the connection's deadline a year away. Cancellation: returned as the end of the body or as
/// a client that is gone.
boost::asio::awaitable<NextPiece> next_piece(Stream* connection, BodyStream* body);

}  // namespace sluice::net
