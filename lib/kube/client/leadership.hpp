// The interface of leader election: compete for a Lease, hold it, release it.
#pragma once

#include "kube/runtime/lease_term.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace sluice::kube {

/// Leader election between replicas by a Lease; one replica at a time may act.
class Leadership {
  public:
    virtual ~Leadership() = default;

    /// Competes until elected, calls `on_elected`, and renews the lease until it is lost (true) or
    /// this call is cancelled (false).
    virtual boost::asio::awaitable<bool> lead(std::function<void()> on_elected) = 0;
    /// Releases the lease, if it is held, so that another replica takes over at once. Requires:
    /// lead() has ended, and nothing is sent any more.
    virtual boost::asio::awaitable<void> release() = 0;
    /// The time until which this process may send a leader's writes. Thread: any.
    virtual const LeaseTerm& term() const = 0;
};

}  // namespace sluice::kube
