// A TCP socket that waits without a buffer and by a deadline.
#pragma once

#include "base/deadline.hpp"
#include "base/error.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>

namespace sluice::net {

/// Converts the error of a socket call: Timeout, Canceled or Unavailable.
Error to_error(const boost::system::error_code& code);

/// A connected TCP socket that never blocks. If a call must wait for the peer, it returns at once,
/// and wait() then waits without holding a buffer. One coroutine waits at a time. Only net/*.cpp
/// use it.
class TcpSocket {
  public:
    explicit TcpSocket(boost::asio::ip::tcp::socket socket);
    ~TcpSocket();
    TcpSocket(const TcpSocket&) = delete;
    TcpSocket& operator=(const TcpSocket&) = delete;

    boost::asio::ip::tcp::socket& socket();
    /// Sets the deadline of all later waits. When it passes, the socket is closed.
    void expires_at(Deadline deadline);
    void close() noexcept;
    /// Returns true if an idle socket is open and the peer has sent nothing.
    bool is_silent();

    enum class Until : std::uint8_t { Readable, Writable };
    /// Waits for the peer. Errors: Timeout, Canceled, Unavailable.
    boost::asio::awaitable<Result<void>> wait(Until until);
    /// Call it when bytes were transferred without a wait. From time to time it gives other
    /// coroutines of the loop a turn, so that a fast peer does not block them. Errors: Timeout,
    /// Canceled.
    boost::asio::awaitable<Result<void>> take_turns(std::size_t bytes);

  private:
    struct State;
    class Watch;
    std::shared_ptr<State> state_;
    std::size_t bytes_since_turn_ = 0;
};

}  // namespace sluice::net
