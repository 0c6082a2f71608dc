#pragma once

#include "base/deadline.hpp"
#include "base/error.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>

namespace sluice::net {

/// What a failed socket call means: Timeout, Canceled or Unavailable.
Error to_error(const boost::system::error_code& code);

/// A connected TCP socket that never blocks: a call that must wait for the other side says so, and
/// wait() then waits without holding a buffer. One waits at a time. Only net/*.cpp use it.
class TcpSocket {
  public:
    explicit TcpSocket(boost::asio::ip::tcp::socket socket);
    ~TcpSocket();
    TcpSocket(const TcpSocket&) = delete;
    TcpSocket& operator=(const TcpSocket&) = delete;

    boost::asio::ip::tcp::socket& socket();
    /// By when all following waits must end; after it the socket is closed.
    void expires_at(Deadline deadline);
    void close() noexcept;
    /// Whether an idle socket is open and the other side has sent nothing.
    bool is_silent();

    enum class Until : std::uint8_t { Readable, Writable };
    /// Waits for the other side. Errors: Timeout, Canceled, Unavailable.
    boost::asio::awaitable<Result<void>> wait(Until until);
    /// To be called when bytes went through without a wait: now and then it lets the others of the
    /// loop have their turn, so that a fast peer does not keep them waiting. Errors: Timeout,
    /// Canceled.
    boost::asio::awaitable<Result<void>> take_turns(std::size_t bytes);

  private:
    struct State;
    class Watch;
    std::shared_ptr<State> state_;
    std::size_t bytes_since_turn_ = 0;
};

}  // namespace sluice::net
