// A client's idle connections, kept to be used again.
#pragma once

#include "base/clock.hpp"
#include "net/transport/stream.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>

namespace sluice::net {

/// A client's idle connections. take() returns the connection that was given back last, so that
/// only as many stay in use as are needed at the same time. The other connections are closed after
/// `idle_max` without use, even if no calls are made. Thread: the executor's.
class ConnectionPool {
  public:
    /// If more than `connections_max` connections are given back, the one that is idle longest is
    /// closed.
    ConnectionPool(std::size_t connections_max, Duration idle_max);
    ~ConnectionPool();
    ConnectionPool(const ConnectionPool&) = delete;
    ConnectionPool& operator=(const ConnectionPool&) = delete;

    /// Returns a connection that can still be used, or nullptr.
    std::unique_ptr<Stream> take();
    /// Adds a connection that is no longer in use.
    void give_back(std::unique_ptr<Stream> stream, const boost::asio::any_io_executor& executor);
    /// Closes all connections.
    void clear();
    std::size_t size() const;

  private:
    class Idle;
    std::shared_ptr<Idle> idle_;
};

}  // namespace sluice::net
