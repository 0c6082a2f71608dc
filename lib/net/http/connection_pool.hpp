#pragma once

#include "base/clock.hpp"
#include "net/transport/stream.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <memory>

namespace sluice::net {

/// The connections of a client that wait to be used again. The one given back last is taken first,
/// so that as many stay in use as are needed at a time; the others end when they were unused for
/// `idle_max`, whether or not there are calls. Thread: the executor's.
class ConnectionPool {
  public:
    /// `connections_max`: where more are given back, the one that is idle the longest is closed.
    ConnectionPool(std::size_t connections_max, Duration idle_max);
    ~ConnectionPool();
    ConnectionPool(const ConnectionPool&) = delete;
    ConnectionPool& operator=(const ConnectionPool&) = delete;

    /// A connection that can still be used, or null.
    std::unique_ptr<Stream> take();
    void give_back(std::unique_ptr<Stream> stream, const boost::asio::any_io_executor& executor);
    /// Closes all that are in it.
    void clear();
    std::size_t size() const;

  private:
    class Idle;
    std::shared_ptr<Idle> idle_;
};

}  // namespace sluice::net
