#pragma once

#include "net/http/http_server.hpp"
#include "net/transport/stream.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace sluice::net {

struct NextPiece {
    std::optional<std::string> piece{};  ///< nothing: the body has ended
    /// The client closed the connection, or sent something that no answer will come to.
    bool is_client_gone = false;
};

/// The next piece of a body, however long it takes, for as long as the client is there.
/// Sets the connection's deadline far away. Cancellation: as the end of the body or a client that
/// is gone.
boost::asio::awaitable<NextPiece> next_piece(Stream* connection, BodyStream* body);

}  // namespace sluice::net
