#include "net/http/connection_pool.hpp"

#include "base/deadline.hpp"

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <optional>
#include <utility>

namespace sluice::net {

/// Shared with the handler of its timer, which may run after the pool is destroyed.
class ConnectionPool::Idle {
  public:
    Idle(std::size_t connections_max, Duration idle_max)
        : connections_max_(connections_max), idle_max_(idle_max) {}

    std::unique_ptr<Stream> take() {
        while (!connections_.empty()) {
            auto youngest = std::move(connections_.back());
            connections_.pop_back();
            if (!youngest.until.has_passed() && youngest.stream->is_reusable()) {
                return std::move(youngest.stream);
            }
        }
        return nullptr;
    }

    void give_back(std::unique_ptr<Stream> stream) {
        connections_.push_back({std::move(stream), Deadline::after(idle_max_)});
        while (connections_.size() > connections_max_) {
            connections_.pop_front();
        }
    }

    void clear() { connections_.clear(); }
    std::size_t size() const { return connections_.size(); }

    /// Closes connections unused for too long, now and each time another one becomes so.
    static void close_overdue(
        const std::shared_ptr<Idle>& self, const boost::asio::any_io_executor& executor
    ) {
        auto& connections = self->connections_;
        while (!connections.empty() && connections.front().until.has_passed()) {
            connections.pop_front();
        }
        if (connections.empty() || self->is_waiting_) {
            return;
        }
        if (!self->timer_) {
            self->timer_.emplace(executor);
        }
        self->is_waiting_ = true;
        self->timer_->expires_at(connections.front().until.at());
        self->timer_->async_wait([idle = std::weak_ptr<Idle>(self),
                                  executor](const boost::system::error_code& error) {
            const auto pool = idle.lock();
            if (pool && !error) {
                pool->is_waiting_ = false;
                close_overdue(pool, executor);
            }
        });
    }

  private:
    struct Connection {
        std::unique_ptr<Stream> stream;
        Deadline until;
    };

    std::size_t connections_max_;
    Duration idle_max_;
    std::deque<Connection> connections_;  ///< longest idle first
    std::optional<boost::asio::steady_timer> timer_;
    bool is_waiting_ = false;
};

ConnectionPool::ConnectionPool(std::size_t connections_max, Duration idle_max)
    : idle_(std::make_shared<Idle>(connections_max, idle_max)) {}

ConnectionPool::~ConnectionPool() = default;

std::unique_ptr<Stream> ConnectionPool::take() {
    return idle_->take();
}

void ConnectionPool::give_back(
    std::unique_ptr<Stream> stream, const boost::asio::any_io_executor& executor
) {
    idle_->give_back(std::move(stream));
    Idle::close_overdue(idle_, executor);
}

void ConnectionPool::clear() {
    idle_->clear();
}

std::size_t ConnectionPool::size() const {
    return idle_->size();
}

}  // namespace sluice::net
