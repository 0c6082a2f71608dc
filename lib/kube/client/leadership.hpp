#pragma once

#include "kube/runtime/lease_term.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace sluice::kube {

/// Competition of replicas for a Lease; one at a time may act.
class Leadership {
  public:
    virtual ~Leadership() = default;

    /// Competes until elected, calls `on_elected`, and renews the lease until it is lost (true) or
    /// this is cancelled (false).
    virtual boost::asio::awaitable<bool> lead(std::function<void()> on_elected) = 0;
    /// Gives the lease up, if it is held, so that another takes over at once. Requires: lead() has
    /// ended, and nothing is sent any more.
    virtual boost::asio::awaitable<void> release() = 0;
    /// Until when this process may send what a leader decides. Thread: any.
    virtual const LeaseTerm& term() const = 0;
};

}  // namespace sluice::kube
