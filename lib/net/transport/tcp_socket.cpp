#include "net/transport/tcp_socket.hpp"

#include "net/loop/event_loop.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>

#include <cerrno>
#include <optional>
#include <sys/socket.h>
#include <tuple>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
using asio::ip::tcp;
namespace {

constexpr auto kResultTuple = asio::as_tuple(asio::use_awaitable);
/// After this many bytes without a wait, other coroutines get a turn.
constexpr std::size_t kTurnBytes = std::size_t{128} * 1024;

Error timed_out() {
    return Error{ErrorCode::Timeout, "not finished in time", {}};
}

}  // namespace

Error to_error(const boost::system::error_code& code) {
    if (code == boost::beast::error::timeout) {
        return timed_out();
    }
    if (code == asio::error::operation_aborted) {
        return Error{ErrorCode::Canceled, "canceled", {}};
    }
    return Error{ErrorCode::Unavailable, code.message(), {}};
}

/// Shared with the timer's handler, which may run after the socket is destroyed.
struct TcpSocket::State {
    explicit State(tcp::socket connected)
        : socket(std::move(connected)), timer(socket.get_executor()) {}
    tcp::socket socket;
    asio::steady_timer timer;
    std::optional<Deadline> deadline;
    std::uint64_t wait_number = 0;
    bool is_expired = false;

    void expire() {
        is_expired = true;
        boost::system::error_code ignored;
        std::ignore = socket.close(ignored);
    }
};

/// Closes the socket if the deadline passes during one wait. Every wait has a number, so that a
/// late timer recognizes that its wait has ended.
class TcpSocket::Watch {
  public:
    explicit Watch(const std::shared_ptr<State>& state) : state_(*state) {
        if (const auto deadline = state->deadline) {
            arm(state, *deadline);
        }
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() {
        ++state_.wait_number;
        state_.timer.cancel();
    }

  private:
    static void arm(const std::shared_ptr<State>& state, Deadline deadline) {
        state->timer.expires_at(deadline.at());
        state->timer.async_wait([weak = std::weak_ptr<State>(state),
                                 number =
                                     state->wait_number](const boost::system::error_code& code) {
            const auto alive = weak.lock();
            if (!code && alive && alive->wait_number == number) {
                alive->expire();
            }
        });
    }
    State& state_;
};

TcpSocket::TcpSocket(tcp::socket socket) : state_(std::make_shared<State>(std::move(socket))) {
    // If this fails, the socket is broken, and the first call reports it.
    boost::system::error_code ignored;
    std::ignore = state_->socket.non_blocking(true, ignored);
}

TcpSocket::~TcpSocket() {
    close();
}

tcp::socket& TcpSocket::socket() {
    return state_->socket;
}

void TcpSocket::expires_at(Deadline deadline) {
    state_->deadline = deadline;
}

void TcpSocket::close() noexcept {
    boost::system::error_code ignored;
    std::ignore = state_->socket.close(ignored);
}

bool TcpSocket::is_silent() {
    char byte = 0;
    auto& socket = state_->socket;
    const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return socket.is_open() && got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

asio::awaitable<Result<void>> TcpSocket::wait(Until until) {
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    bytes_since_turn_ = 0;
    const auto state = state_;
    const auto what = until == Until::Readable ? tcp::socket::wait_read : tcp::socket::wait_write;
    const Watch watch(state);
    const auto [code] = co_await state->socket.async_wait(what, kResultTuple);
    if (state->is_expired) {
        co_return timed_out();
    }
    if (code) {
        co_return to_error(code);
    }
    co_return Result<void>();
}

asio::awaitable<Result<void>> TcpSocket::take_turns(std::size_t bytes) {
    bytes_since_turn_ += bytes;
    if (bytes_since_turn_ < kTurnBytes) {
        co_return Result<void>();
    }
    bytes_since_turn_ = 0;
    const auto state = state_;
    const auto executor = state->socket.get_executor();
    co_await asio::post(executor, asio::use_awaitable);
    const auto cancelled = co_await is_cancelled();
    if (cancelled) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    const auto deadline = state->deadline;
    if (deadline && deadline->has_passed()) {
        state->expire();
        co_return timed_out();
    }
    co_return Result<void>();
}

}  // namespace sluice::net
